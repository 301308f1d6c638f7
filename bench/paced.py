"""Bets at even intervals, and their responses."""

from __future__ import annotations

import http.client
import itertools
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlsplit

import msgspec

CONNECTIONS = 16


@dataclass(slots=True)
class Receipts:
    """When each bet was made (Unix seconds, by its amount), and how long the answers took."""

    created_at_s: dict[int, float] = field(default_factory=dict)
    latencies_ms: list[float] = field(default_factory=list)

    def percentile_ms(self, share: float) -> float:
        """The latency below which `share` of the answers came."""
        ordered = sorted(self.latencies_ms)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


def bet_at(url: str, *, token: str, market_ids: Sequence[int], amounts: Sequence[int], per_second: float) -> Receipts:
    """Place a bet of each amount (kopecks) on the markets in turn, one every 1 / `per_second`; return the receipts."""
    receipts = Receipts()
    numbers = itertools.count()
    began_s = time.monotonic()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    host = urlsplit(url).netloc

    def work() -> None:
        connection = http.client.HTTPConnection(host, timeout=60)
        while (number := next(numbers)) < len(amounts):
            due_s = began_s + number / per_second
            time.sleep(max(0.0, due_s - time.monotonic()))
            turn, place = divmod(number, len(market_ids))
            side = "NO" if turn % 2 else "YES"
            order = {"market_id": market_ids[place], "token_type": side, "amount_kopecks": amounts[number]}
            connection.request("POST", "/api/v1/market/bets", msgspec.json.encode(order), headers)
            answer = connection.getresponse()
            receipt = msgspec.json.decode(answer.read())
            receipts.latencies_ms.append(1000 * (time.monotonic() - due_s))
            # A rejected bet would be missing from the feed: stop.
            assert answer.status == 201, receipt
            receipts.created_at_s[receipt["amount_kopecks"]] = datetime.fromisoformat(receipt["created_at"]).timestamp()
        connection.close()

    workers = [threading.Thread(target=work) for _ in range(CONNECTIONS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return receipts
