"""Simulation: desk, book, payments, splits, followers and the senders of mails and webhooks, on what a seed decides.

python -m faults simulate --seeds 10000
python -m faults simulate --seed 17

One process without threads over a virtual clock, a network and a disk: the seed chooses what people do, which callback
comes next, what the network does to each connection, and after which callback the process is killed (SIGKILL) or the
power is cut. The next process begins with what the disk has then. After every commit the invariants must hold, at the
end all is paid and delivered, and the audit finds nothing. A seed that fails is made smaller before it is shown.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import tempfile
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

from faults.power import Recording, left_after
from faults.simulation.life import Broken, Life, Outside
from faults.simulation.loop import Cut, SimulatedLoop, virtual_time
from faults.simulation.network import Network, Taken
from faults.simulation.plan import Disaster, Plan, draw
from faults.simulation.world import NAME, Template
from faults.vfs import Disk, watched
from foreknow.commands.audit import audit
from foreknow.kernel.clock import system_clock
from foreknow.money import statements
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.mailing import notices

#: A machine is back after this time, and leases have ended.
AWAY_S = 120.0
KEPT = (0.0, 0.5, 0.9)
#: Tables of what is left to be done.
DUES = ("order_dues", "payments", "mails")
#: By kind of act: which column of which table has what it was answered with.
PLACED = {
    **dict.fromkeys(("bet", "partner bet", "sale"), ("id", "trades")),
    "basket": ("basket_id", "trades"),
    "limit": ("id", "limit_orders"),
}


@dataclass(frozen=True, slots=True)
class Simulated:
    """What came of a seed."""

    #: Of all that happened, in its order.
    digest: str
    callbacks: int
    lives: int
    #: How many acts were executed, not refused.
    executed: int
    posted: int
    mailed: int


class Simulation:
    """Runs plans from one template, each in folders of its own."""

    def __init__(self, folder: Path) -> None:
        """Make the template."""
        (folder / "template").mkdir()
        self._template = Template(folder / "template")
        self._folder = folder

    def run(self, plan: Plan) -> Simulated:
        """Run a plan to its end. Raises `Broken`, or whatever the service raised."""
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        try:
            return _Run(self._template, folder, plan).run()
        finally:
            shutil.rmtree(folder)

    def fails(self, plan: Plan) -> str | None:
        """Return how a plan fails; None where it does not."""
        try:
            self.run(plan)
        except Exception as failure:  # noqa: BLE001 - whatever a seed brings about
            return f"{type(failure).__name__}: {failure}"
        return None

    def shrunk(self, plan: Plan) -> Plan:
        """Return a plan that fails, too, of which nothing can be left out."""
        for smaller in plan.smaller():
            if self.fails(smaller) is not None:
                return self.shrunk(smaller)
        return plan


class _Run:
    """One plan, process after process."""

    def __init__(self, template: Template, folder: Path, plan: Plan) -> None:
        self._chance = Random(plan.seed)
        self._folder = folder
        self._plan = plan
        self._outside = Outside(plan, template.cast, Network(Random(plan.seed + 1)))
        #: Between two processes; while one runs, its loop knows.
        self._now_s = 0.0
        self._loop: SimulatedLoop | None = None
        self._callbacks = 0
        self._lives = 0
        self._place(0).mkdir()
        template.copy(self._place(0))

    def run(self) -> Simulated:
        for disaster in (*self._plan.cuts, None):
            self._live(disaster)
        outside = self._outside
        executed = sum(answer.isdigit() for answer in outside.answers.values())
        network = outside.network
        digest = hashlib.sha256("\n".join(outside.trace).encode()).hexdigest()
        return Simulated(digest, self._callbacks, self._lives, executed, len(network.posted), len(network.mailed))

    def _live(self, disaster: Disaster | None) -> None:
        """Run a process until a disaster, or with None until nothing is left to do; then check everything."""
        folder = self._place(self._lives)
        self._outside.network.life = self._lives
        self._outside.network.era += 1
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        steps_max = disaster.after if disaster else None
        loop = SimulatedLoop(self._chance, self._outside.network, now_s=self._now_s, steps_max=steps_max)
        self._loop = loop
        seed = self._chance.getrandbits(64)
        with virtual_time(seed, self._time), watched(folder) as disk:
            disk.is_real = False
            life = Life(loop, folder, disk, self._outside)
            try:
                loop.drive(life.run(is_last=disaster is None))
                if disaster is None:
                    loop.drive(life.db.read(self._check))
            except Cut:
                pass
            finally:
                self._callbacks += loop.steps
                self._lives += 1
                self._now_s = loop.time()
                if disaster is not None:
                    self._leave(disaster, folder, before, disk)
                self._end(life, loop)

    def _end(self, life: Life, loop: SimulatedLoop) -> None:
        """Let go of what a process had open, unseen."""
        self._outside.network.life = -1
        loop.live_on()
        with warnings.catch_warnings():
            # Of what had not begun.
            warnings.simplefilter("ignore", RuntimeWarning)
            loop.drive(life.end())
        loop.close()
        self._loop = None

    def _time(self) -> float:
        return self._now_s if self._loop is None else self._loop.time()

    def _leave(self, disaster: Disaster, folder: Path, before: Mapping[str, bytes], disk: Disk) -> None:
        """Put what the disk has now where the next process begins."""
        next_folder = self._place(self._lives)
        next_folder.mkdir()
        disk.is_noting = False
        if disaster.is_power:
            recording = Recording(before, disk.steps, [])
            files = left_after(recording, len(disk.steps), self._chance, kept=self._chance.choice(KEPT))
            for name, content in files.items():
                (next_folder / name).write_bytes(content)
        else:
            for name in {NAME, f"{NAME}-wal"} & {path.name for path in folder.iterdir()}:
                shutil.copyfile(folder / name, next_folder / name)
        self._outside.trace.append(f"{self._now_s:.6f} {'power is cut' if disaster.is_power else 'killed'}")
        self._now_s += AWAY_S

    def _check(self, tx: ReadTx) -> None:
        """Check that all is done, and that nothing that was answered is missing."""
        findings = audit(tx)
        if findings:
            raise Broken(f"the audit finds {findings[0]}")
        for table in DUES:
            left = tx.exec_driver_sql(f"SELECT COUNT(*) FROM {table}").scalar_one()
            if left:
                raise Broken(f"{left} rows of {table} are never done")
        if notices.due_users(tx, now_ms=system_clock(), limit=1):
            raise Broken("notices that are due are never mailed")
        outside = self._outside
        for kind, column in PLACED.items():
            known = {str(row[0]) for row in tx.exec_driver_sql(f"SELECT {column[0]} FROM {column[1]}")}
            for index, answer in outside.answers.items():
                if self._plan.acts[index].kind == kind and answer.isdigit() and answer not in known:
                    raise Broken(f"act {index}, a {kind}, was answered with {answer}, which is lost")
        partner_id = outside.cast.partner.partner_id
        lines = [
            f"transaction_{row.id}"
            for row in statements.after(tx, partner_id, after_id=outside.cast.line_id, limit=1_000)
        ]
        posted = outside.network.posted
        if list(dict.fromkeys(one.name for one in posted if one.name in lines)) != lines:
            raise Broken("the partner got its lines in another order, or not all")
        _check_once(posted)
        _check_once(outside.network.mailed)

    def _place(self, life: int) -> Path:
        return self._folder / f"life-{life}"


def _check_once(taken: list[Taken]) -> None:
    """Raise `Broken` where something was sent again though its sender knew that it was taken, and lived on."""
    answered: dict[str, int] = {}
    for one in taken:
        if answered.get(one.name) == one.era:
            raise Broken(f"{one.name} was sent again though it was known to be taken")
        if one.is_answered:
            answered[one.name] = one.era


def main(arguments: list[str]) -> None:
    """Run seeds, and print the figures. Raises where one fails, once it is made smaller."""
    parser = argparse.ArgumentParser(
        prog="faults simulate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=1_000, help="how many, from 0 on (default: 1000)")
    parser.add_argument("--seed", type=int, help="this one alone")
    options = parser.parse_args(arguments)
    seeds = range(options.seeds) if options.seed is None else [options.seed]
    with tempfile.TemporaryDirectory(prefix="foreknow-faults-") as folder:
        simulation = Simulation(Path(folder))
        began_s = time.process_time()
        done: list[Simulated] = []
        for seed in seeds:
            try:
                done.append(simulation.run(draw(seed)))
            except Exception as failure:
                plan = simulation.shrunk(draw(seed))
                raise SystemExit(f"seed {seed}: {simulation.fails(plan)}\n{plan}") from failure
        cpu_s = time.process_time() - began_s
    print(
        f"{len(done):,} seeds in {cpu_s:,.0f} s of CPU time: {sum(one.callbacks for one in done):,} callbacks,"
        f" {sum(one.lives - 1 for one in done):,} cuts, {sum(one.executed for one in done):,} orders answered and none"
        f" lost, {sum(one.posted for one in done):,} messages and {sum(one.mailed for one in done):,} mails taken by"
        f" their peers, every invariant held after every commit; all of it: {_digest(done)}"
    )


def _digest(done: list[Simulated]) -> str:
    return hashlib.sha256("".join(one.digest for one in done).encode()).hexdigest()[:16]
