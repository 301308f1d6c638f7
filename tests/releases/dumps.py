"""Small sites of released versions, kept as SQL: of each kind of database one, with rows of every kind.

`python -m tests.releases.dumps VERSION` writes those of the version that is checked out, once, when it is released
(docs/releasing.md). They are never written again: what later versions must migrate is what that one wrote.
"""

from __future__ import annotations

import lzma
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

from foreknow.kernel.clock import DAY_MS, MINUTE_MS, iso
from tests.commands.audit.books import keep_books
from tests.support.full_site import FullSite
from tests.support.orders import bet
from tests.support.postgres import PACKAGES, PROGRAMS, running_postgres
from tests.support.schema import prepare
from tests.support.service import PASSWORD, Service, expect, pool
from tests.support.waiting import let_work

HERE = Path(__file__).parent
KINDS = ("sqlite", "postgres")


def versions() -> list[str]:
    """Return the versions of which there is a site."""
    return sorted({path.name.rpartition("-")[0] for path in HERE.glob("*.sql.xz")})


def file_of(version: str, kind: str) -> Path:
    """Return where the site of a version is kept."""
    return HERE / f"{version}-{kind}.sql.xz"


def load(version: str, url: str) -> None:
    """Load the site of a version into an empty database of its kind."""
    kind = "sqlite" if url.startswith("sqlite:") else "postgres"
    script = lzma.decompress(file_of(version, kind).read_bytes()).decode()
    if kind == "sqlite":
        with closing(sqlite3.connect(urlsplit(url).path)) as database:
            database.executescript(script)
    else:
        command = [_program("psql"), "-XqAt", "-v", "ON_ERROR_STOP=1", url]
        subprocess.run(command, input=script, capture_output=True, text=True, check=True)


def dump(url: str) -> str:
    """Return a database as SQL."""
    if url.startswith("sqlite:"):
        with closing(sqlite3.connect(urlsplit(url).path)) as database:
            return "\n".join(database.iterdump()) + "\n"
    command = [_program("pg_dump"), "--no-owner", "--no-privileges", "--no-comments", url]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def live(url: str) -> None:
    """Let an empty database become a site with rows of every kind, and leave it."""
    prepare(url)
    service = Service(url)
    FullSite(service)
    keep_books(service)
    _use_the_rest(service)
    service.clock.advance(2 * DAY_MS)
    let_work()
    service.stop()


def _use_the_rest(service: Service) -> None:
    """Use what has nothing to do with money: follows, alerts, keys, settings, looks, webhooks, accounts that end."""
    names = {
        "sign_up_kopecks": 1_000,
        "site_name": "Club",
        "allowance": {"kopecks": 100, "every": "day", "up_to": 1_000},
    }
    version = expect(service.admin.get("/admin/settings"), 200)["version"]
    expect(service.admin.patch("/admin/settings", json={"version": version, "changes": names}), 200)
    ann, bob, leaver = (service.user(balance_kopecks=100_000) for _ in range(3))
    event = service.event(tags=["rain"], loop_interval_minutes=60, pools=[pool(finish_at=_soon(service))])
    market = event["pools"][0]["markets"][0]["id"]
    for put in (f"/users/{bob.id}/follow", "/tags/rain/follow", f"/events/{event['id']}/follow"):
        expect(ann.client.put(put), 200)
    expect(ann.client.put(f"/markets/{market}/alert", json={"above": 9_000, "below": 1_000}), 200)
    expect(ann.client.put("/users/me/notification-settings", json={"price_alert": {"email": "off"}}), 200)
    expect(ann.client.post("/users/me/keys", json={"name": "Bot", "scope": "trade"}), 201)
    said = {"event_id": event["id"], "content": f"Why, @{bob.nickname}?"}
    expect(ann.client.post("/comments", json=said), 201)
    expect(bet(bob, market, "YES", 5_000), 201)
    expect(leaver.client.get("/users/me/export"), 200)
    expect(leaver.client.post("/users/me/delete", json={"password": leaver.password}), 200)
    partner = service.partner(float_kopecks=10_000)
    expect(partner.client.put("/partner/webhook", json={"url": "https://example.org/foreknow"}), 200)
    wrong = {"login": ann.email, "password": "another battery"}
    service.client().post("/auth/sign-in", json=wrong)
    newcomer = {"email": "newcomer@example.org", "password": PASSWORD, "name": "Newcomer"}
    expect(service.client().post("/auth/sign-up", json=newcomer), 201)
    for page in ("about", "terms"):
        page_text = {"lang": "en", "markdown": f"# {page}"}
        expect(service.admin.put(f"/admin/looks/pages/{page}", json=page_text), 200)


def _soon(service: Service) -> str:
    return iso(service.clock() + 30 * MINUTE_MS)


def _program(name: str) -> str:
    return str(PACKAGES / PROGRAMS / "bin" / name)


def write(version: str) -> None:
    """Write the sites of the version that is checked out. `FileExistsError` where they are there."""
    with tempfile.TemporaryDirectory() as folder, running_postgres() as postgres:
        for kind in KINDS:
            url = f"sqlite:///{folder}/foreknow.sqlite3" if kind == "sqlite" else postgres.fresh_database()
            live(url)
            with file_of(version, kind).open("xb") as file:
                file.write(lzma.compress(dump(url).encode(), preset=9))


if __name__ == "__main__":
    write(sys.argv[1])
