"""Calling an operator reaches the support team, through a real webhook."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sqlalchemy as sa
from pydantic import SecretStr

from foreknow.kernel.backoff import BackOff
from foreknow.people.alerts import sender
from foreknow.people.alerts.tables import support_alerts
from tests.site.chat.conversation import begin, say
from tests.support.kinds import ON_SQLITE
from tests.support.server import ServerDidNotStart
from tests.support.service import Service, expect
from tests.support.waiting import let_work, wait_until
from tests.support.webhook import SECRET, Webhook, webhook

Start = Callable[..., Service]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look and try again at once."""
    monkeypatch.setattr(sender, "POLL_S", 0.05)
    monkeypatch.setattr(sender, "BACK_OFF", BackOff(first_ms=50, most_ms=5_000))
    monkeypatch.setattr(sender, "GAP_MS", 50)


def call(client: object) -> None:
    expect(client.post("/chat/session/call-operator"), 200)  # type: ignore[attr-defined] # httpx.Client


def lines_of(hook: Webhook, count: int) -> list[str]:
    """Wait until `count` calls were reported, in any number of messages, and return the text of each."""

    def lines() -> list[str]:
        return [line for one in hook.taken for line in one["message"].splitlines()]

    wait_until(lambda: len(lines()) >= count)
    let_work()
    assert len(lines()) == count
    return lines()


@ON_SQLITE
def test_the_team_is_alerted_once_a_session(start_service: Start) -> None:
    with webhook() as hook:
        service = start_service(support_alert_urls=SecretStr(hook.url))
        visitor, person = service.client(), service.user()
        first, second = begin(visitor), begin(person.client)
        say(visitor, "My card number is 1234.")
        for client in (visitor, visitor, person.client, person.client):
            call(client)
        texts = sorted(lines_of(hook, 2))
        assert texts[0].startswith(f"Chat session {first} waits")
        assert texts[1].startswith(f"Chat session {second} waits")
        assert f"user {person.id}" in texts[1]
        # What a visitor writes does not leave the house.
        assert "1234" not in str(hook.calls)


@ON_SQLITE
def test_a_webhook_that_fails_first_is_tried_again(start_service: Start) -> None:
    with webhook(500, 503) as hook:
        service = start_service(support_alert_urls=SecretStr(hook.url))
        visitor = service.client()
        begin(visitor)
        call(visitor)
        hook.wait_for(3)
        let_work()
        assert [status for status, _ in hook.calls] == [500, 503, 200]


@ON_SQLITE
def test_an_alert_survives_a_restart(start_service: Start) -> None:
    with webhook(*[500] * 100) as hook:
        service = start_service(support_alert_urls=SecretStr(hook.url))
        visitor = service.client()
        begin(visitor)
        call(visitor)
        hook.wait_for(1)
        service.stop()
        hook.failures.clear()
        before = len(hook.calls)
        service.server = service._serve()
        hook.wait_for(before + 1)
        assert len(hook.taken) == 1


def test_several_servers_alert_once(start_service: Start) -> None:
    with webhook(delay_s=0.2) as hook:
        servers = [start_service(support_alert_urls=SecretStr(hook.url)) for _ in range(2)]
        for service in servers * 2:
            visitor = service.client()
            begin(visitor)
            call(visitor)
        assert len(set(lines_of(hook, 4))) == 4


@ON_SQLITE
def test_the_visitor_does_not_wait_for_the_alert(start_service: Start) -> None:
    with webhook() as hook:
        hook.answering.clear()
        service = start_service(support_alert_urls=SecretStr(hook.url))
        visitor = service.client()
        begin(visitor)
        call(visitor)
        say(visitor)
        assert hook.calls == []
        hook.answering.set()
        hook.wait_for(1)


@ON_SQLITE
def test_the_urls_stay_out_of_the_database_and_the_log(start_service: Start, capfd: pytest.CaptureFixture[str]) -> None:
    with webhook(500) as hook:
        service = start_service(support_alert_urls=SecretStr(hook.url), log_level="debug")
        visitor = service.client()
        begin(visitor)
        call(visitor)
        hook.wait_for(2)
        rows = service.look(lambda tx: tx.execute(sa.select(support_alerts)).all())
        assert len(rows) == 1
        assert SECRET not in str(rows)
    shown = "".join(capfd.readouterr())
    assert "support alert put off" in shown
    assert SECRET not in shown


@ON_SQLITE
def test_a_service_with_a_wrong_url_does_not_start(start_service: Start) -> None:
    with pytest.raises(ServerDidNotStart):
        start_service(support_alert_urls=SecretStr("nonsense://hush"))
