"""One's forecasts as rows of a CSV, which the script `examples/import_forecasts.py` says again."""

from __future__ import annotations

from typing import Any

import msgspec

from foreknow.site.forecasts.schemas import UserForecast

#: Forecasts read and sent at a time.
PIECE_LINES = 200
COLUMNS = UserForecast.__struct_fields__
CSV_EXAMPLE = (
    ",".join(COLUMNS) + "\r\n"
    "4,Who wins?,,8,Who wins?,,0.2 0.3 0.5,,2026-03-08T20:30:00.000Z,true,,,\r\n"
    "3,Will it rain?,,5,Will it rain?,,0.7,Clouds.,2026-03-01T18:00:00.000Z,true,0,12.4,0.82\r\n"
)


def row_of(forecast: UserForecast) -> list[str | float | None]:
    """Return the cells of one of one's own forecasts; probabilities have spaces between them."""
    return [_cell(value) for value in msgspec.structs.astuple(forecast)]


def _cell(value: Any) -> str | float | None:
    if isinstance(value, tuple):
        return " ".join(map(repr, value))
    cell: str | float | None = value
    return ("true" if value else "false") if isinstance(value, bool) else cell
