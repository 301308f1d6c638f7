"""What followers are notified of, as tests wait for it."""

from __future__ import annotations

from typing import Any

from foreknow.site.following import causes, pending
from tests.support.service import Service
from tests.support.waiting import wait_until


def settled(service: Service) -> None:
    """Wait until the worker has looked at all trades and sent all news."""

    def is_done(tx: Any) -> bool:
        waiting = pending.look(tx)
        # Comments on an event that were written soon after others wait for an hour.
        return not (waiting.news or waiting.priors or causes.commented_events(tx))

    service.server.run(service.app.services.following.follow())
    wait_until(lambda: service.look(is_done))
