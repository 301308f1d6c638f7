"""The settings as they count now: the environment's, and those that the site has set in its database.

Every process looks for a change twice a second. What decides in a transaction reads them there.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable

import structlog
from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError

from foreknow.kernel.errors import DomainError
from foreknow.kernel.settings import Settings
from foreknow.kernel.site_settings import overlaid
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.jobs import Background, Worker
from foreknow.platform.settings import store
from foreknow.platform.settings.store import StoredSettings

log = structlog.get_logger("foreknow.settings")

#: How often a process looks for a change, which holds everywhere within a second.
POLL_S = 0.4
#: A process that could not look for longer does not know whether strangers may read.
BLIND_S = 5.0
#: Longest wait of a request for a look of a process that is blind.
SOON_S = 0.5


class LiveSettings:
    """The settings of one process."""

    def __init__(self, given: Settings, *, timer: Callable[[], float] = time.monotonic) -> None:
        """`given` are the environment's, which alone count until the first look; `timer` is in seconds."""
        self.given = given
        #: As they were when this process last looked.
        self.now = given
        self.version = 0
        self.looks_version = 0
        self._timer = timer
        self._seen_at_s: float | None = None

    @property
    def is_blind(self) -> bool:
        """Whether the process looked for changes, and could not for `BLIND_S`."""
        return self._seen_at_s is not None and self._timer() - self._seen_at_s > BLIND_S

    def at(self, tx: ReadTx) -> Settings:
        """Return the settings that a transaction sees."""
        return self.of(store.find(tx))

    def at_version(self, tx: ReadTx, version: int) -> Settings:
        """Return the settings of the version that a transaction has read."""
        return self.now if version == self.version else self.at(tx)

    def take(self, found: StoredSettings) -> bool:
        """Let these count, which a transaction has found; return whether they are newer. `ValidationError`.

        One that began before another's change may end later: what it found is old.
        """
        self._seen_at_s = self._timer()
        if found.version <= self.version:
            return False
        self.now, self.version = self.of(found), found.version
        return True

    def of(self, found: StoredSettings) -> Settings:
        """Return the settings with a row that a transaction has found; `ValidationError`."""
        if found.version == self.version:
            return self.now
        return overlaid(self.given, found.values)


class SettingsWatch(Background):
    """Looks for changes while the service runs."""

    def __init__(
        self,
        db: Database,
        live: LiveSettings,
        *,
        read_looks: Callable[[], Awaitable[None]],
        on_change: Callable[[], None],
    ) -> None:
        """`read_looks` is awaited where the looks have changed, before they count; `on_change` is called after a change
        counts in this process, and must not block.
        """
        self._drawer = Worker("looks", self._follow_looks, poll_s=POLL_S)
        super().__init__(Worker("settings", self._follow, poll_s=POLL_S), self._drawer)
        self._db = db
        self._live = live
        self._read_looks = read_looks
        self._on_change = on_change
        #: Of the newest looks that were seen, None before any; they count once they are read.
        self._looks_version: int | None = None
        #: Drawn one at a time, so that none is drawn over by an older one.
        self._drawing = asyncio.Lock()
        #: A look that requests wait for.
        self._looking: asyncio.Task[None] | None = None

    async def look(self) -> None:
        """Let what is stored count, the looks too."""
        await self._follow()
        await self._follow_looks()

    async def _follow(self) -> None:
        found = await self._db.lookup(store.find)
        if self._live.take(found):
            log.info("settings changed", version=found.version)
            self._on_change()
        self._looks_version = max(found.looks_version, self._looks_version or 0)
        if self._looks_version != self._live.looks_version:
            self._drawer.wake()

    async def _follow_looks(self) -> None:
        """Let new looks count. To draw them may take seconds, for which no setting waits."""
        async with self._drawing:
            version = self._looks_version
            if version is None or version == self._live.looks_version:
                return
            await self._read_looks()
            self._live.looks_version = version
            log.info("looks changed", version=version)
            self._on_change()

    async def look_soon(self, within_s: float = SOON_S) -> None:
        """Look now, and return in time in any case: a process that has slept sees again before it answers."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._try_to_look())
        await asyncio.wait({self._looking}, timeout=within_s)

    async def _try_to_look(self) -> None:
        # The worker logs what keeps it from looking.
        with contextlib.suppress(DomainError, SQLAlchemyError, ValidationError, OSError):
            await self.look()
