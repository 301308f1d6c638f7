"""Who calls is checked where it is given, and no error, repr or log entry shows a key, password, token or cookie."""

from __future__ import annotations

import logging
import traceback

import pytest

from foreknow_client import Client, endpoints, models
from foreknow_client.client import Who
from foreknow_client.credentials import PartnerKey, SignIn, Token
from foreknow_client.exchange import exchange
from foreknow_client.steps import Send
from tests.sdk.line import BET, Line
from tests.support.service import Person, Service

URL = "http://127.0.0.1:8000"


@pytest.fixture
def trader(sqlite_service: Service) -> Person:
    return sqlite_service.user(balance_kopecks=1_000)


@pytest.mark.parametrize("name", ["key", "partner_key"])
@pytest.mark.parametrize(
    ("secret", "said"),
    [
        ("fku_s3cret\n", "holds a line break (character 11 of 11)"),
        ("fku_\r\ns3cret", "holds a line break (character 5 of 12)"),
        ("fku_s3cret…", "holds a character beyond ASCII"),
        ("Bearer fku_s3cret", "holds a space (character 7 of 17)"),
        ("fku_s3cret\0", "holds a control character"),
        ("fku_s3cret\udcff", "holds a character beyond ASCII"),
    ],
)
def test_a_key_that_no_header_carries_is_refused_at_once(name: str, secret: str, said: str) -> None:
    with pytest.raises(ValueError, match="visible ASCII") as refused:
        Client(URL, key=secret) if name == "key" else Client(URL, partner_key=secret)
    with Client(URL, key="fku_before") as client, pytest.raises(ValueError, match="visible ASCII"):
        client.use(key=secret) if name == "key" else client.use(partner_key=secret)

    shown = "".join(traceback.format_exception(refused.value))
    assert f"{name} {said}" in shown
    assert "s3cret" not in shown


def test_what_else_no_header_carries_is_refused_before_anything_is_sent() -> None:
    for key in ("of the\nday", "of the day", "дня"):
        order = endpoints.place_bet(market_id=7, token_type="YES", amount_kopecks=1, idempotency_key=key)
        line = Line()
        with pytest.raises(ValueError, match="idempotency_key holds a"):
            line.run(order)
        assert line.sent == []
    with Client(URL) as client, pytest.raises(ValueError, match="last_event_id holds a line break"):
        next(client.stream_chat(last_event_id="7\n"))
    unfit: list[Who] = [
        {"login": "ann", "password": "s3cret\udcff"},
        {"password": "s3cret"},
        {"login": "ann", "key": "s3cret"},
    ]
    for who in unfit:
        with pytest.raises(ValueError, match=r"password|one of") as refused:
            Client(URL, **who)
        assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        *("fku_s3cret", "localhost:8000/s3cret", "", "https://", "http://s3cret\n", "http://[s3cret"),
        *("https://ann:s3cret@markets.example", "https://markets.example?key=s3cret", "https://markets.example#s3cret"),
    ],
)
def test_a_text_that_is_no_address_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(ValueError, match="url") as refused:
        Client(url)

    assert "s3cret" not in "".join(traceback.format_exception(refused.value))


def test_no_repr_shows_a_secret() -> None:
    for who, shown in ((Token("s3cret"), "a user by key"), (PartnerKey("s3cret"), "a partner by key")):
        line = Line(credentials=who)
        line.session.chat_cookie = "s3cret"
        send = next(exchange(BET, line.session))
        assert isinstance(send, Send)
        assert "s3cret" in str(send.headers)
        assert "s3cret" not in repr([who, line.session, send, BET])
        assert repr(who) == f"<{shown}>"
    sign_in = endpoints.sign_in(login="ann", password="s3cret")
    assert "s3cret" not in repr([sign_in, SignIn("ann", "s3cret")])
    with Client(URL, login="ann", password="s3cret") as client:
        assert repr(client) == f"<Client {URL}, a user by password>"
    issued = models.IssuedPartner(partner="shop", key_id=1, key="s3cret")
    assert repr(issued) == "IssuedPartner(partner='shop', key_id=1, key=…)"
    assert dict(issued.__rich_repr__())["key"] == "…"


def test_logs_at_every_level_show_no_secret(
    sqlite_service: Service, trader: Person, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        caplog.at_level(logging.DEBUG),
        Client(sqlite_service.url, login=trader.email, password=trader.password) as client,
    ):
        client.get_me()
        key = client.create_my_key(name="bot", scope="read")
        client.use(key=key.key)
        client.get_my_portfolio()
        client.use()
        client.open_chat_session()
        secrets = (trader.password, key.key, client._session.chat_cookie)

    assert all(secrets)
    assert "receive_response_headers" in caplog.text
    assert [text for text in (*secrets, "refresh_token=", "access_token=", "Bearer") if text in caplog.text] == []
