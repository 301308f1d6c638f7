"""The trades and findings to be replayed, read from their CSV files (their columns: `data/README.md`)."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Literal, TypeVar, cast

from foreknow.commands.replay.errors import ReplayFailed

Value = TypeVar("Value")
TradeAction = Literal["buy", "sell"]
TradeSide = Literal["YES", "NO"]
#: A market's name in the files: project and finding.
MarketKey = tuple[str, str]

TRADES = "replication_markets_trades.csv"
FINDINGS = "replication_markets_findings.csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTrade:
    """One trade: `amount` is the stake in kopecks of a purchase, the shares of a sale."""

    trader: str
    action: TradeAction
    side: TradeSide
    amount: int
    #: The market's YES price after it, as recorded.
    recorded_price: float
    #: When it was made, as the file says it; "" where it does not.
    time: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A published study and whether it replicated."""

    cite: str
    doi: str
    replicated: bool
    #: One word for its field, and what it says, in English and Russian; "" where the file does not say.
    topic: str = ""
    summary: str = ""
    summary_ru: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """One market: its study, and its trades in the order of execution."""

    key: MarketKey
    finding: Study
    trades: list[RecordedTrade] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The market's name: RPP-1."""
        return "-".join(self.key)


def packaged_trades() -> Path:
    """Return the trades that come with the package."""
    return Path(str(resources.files("foreknow.commands.replay").joinpath("data", TRADES)))


def read_histories(trades_path: Path) -> list[History]:
    """Read the trades, and the findings beside them or, where there are none, those of the package.

    Raises `ReplayFailed` with the file and line of an invalid row.
    """
    beside = trades_path.with_name(trades_path.name.replace("trades", "findings"))
    has_findings = beside != trades_path and beside.exists()
    findings = _read_findings(beside if has_findings else packaged_trades().with_name(FINDINGS))
    histories: dict[MarketKey, History] = {}
    for row in _rows(trades_path):
        key = row.key()
        if key not in histories:
            if key not in findings:
                raise ReplayFailed(f"{row.where}: nothing says how {'-'.join(key)} ended")
            histories[key] = History(key, findings[key])
        histories[key].trades.append(_trade(row))
    if not histories:
        raise ReplayFailed(f"{trades_path}: there is no trade in it")
    return list(histories.values())


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of a CSV file, and its place."""

    where: str
    fields: Mapping[str, str | None]

    def text(self, name: str) -> str:
        """Return a field that must be there."""
        value = self.fields.get(name)
        if not value:
            raise ReplayFailed(f"{self.where}: {name} is missing")
        # Some of the package's citations end in a no-break space.
        return " ".join(value.split())

    def optional(self, name: str) -> str:
        """Return a field that may be missing; "" then."""
        return " ".join((self.fields.get(name) or "").split())

    def parsed(self, name: str, parse: Callable[[str], Value]) -> Value:
        """Return a field as `parse` (which may raise `ValueError`) reads it."""
        text = self.text(name)
        try:
            return parse(text)
        except ValueError as unreadable:
            raise ReplayFailed(f"{self.where}: {name} cannot be {text!r}") from unreadable

    def choice(self, name: str, *allowed: str) -> str:
        """Return a field with a closed set of values."""
        text = self.text(name)
        if text not in allowed:
            raise ReplayFailed(f"{self.where}: {name} is {text!r}, not one of {', '.join(allowed)}")
        return text

    def key(self) -> MarketKey:
        """Return the market the line belongs to."""
        return self.text("project"), self.text("finding_id")


def _read_findings(path: Path) -> dict[MarketKey, Study]:
    return {
        row.key(): Study(
            cite=row.text("cite"),
            doi=row.text("doi"),
            replicated=row.choice("replicated", "0", "1") == "1",
            topic=row.optional("topic"),
            summary=row.optional("summary"),
            summary_ru=row.optional("summary_ru"),
        )
        for row in _rows(path)
    }


def _trade(row: _Row) -> RecordedTrade:
    action = cast("TradeAction", row.choice("action", "buy", "sell"))
    return RecordedTrade(
        trader=row.text("trader"),
        action=action,
        side=cast("TradeSide", row.choice("side", "YES", "NO")),
        amount=row.parsed("stake_kopecks" if action == "buy" else "sell_shares", int),
        recorded_price=row.parsed("recorded_price", float),
        time=row.optional("time"),
    )


def _rows(path: Path) -> Iterator[_Row]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for number, fields in enumerate(csv.DictReader(file), start=2):
                yield _Row(f"{path}, line {number}", fields)
    except (OSError, UnicodeDecodeError, csv.Error) as failure:
        raise ReplayFailed(f"{path} cannot be read: {getattr(failure, 'strerror', None) or failure}") from failure
