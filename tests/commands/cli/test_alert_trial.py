"""`foreknow alerts test`, and what becomes of a wrong channel."""

from __future__ import annotations

import pytest

from tests.commands.cli.conftest import Command
from tests.support.webhook import webhook


def test_every_channel_gets_an_alert_and_the_command_says_which_took_it(
    say: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOREKNOW_SITE_NAME", "The Club")
    with webhook() as support, webhook() as operators:
        monkeypatch.setenv("FOREKNOW_SUPPORT_ALERT_URLS", support.url)
        monkeypatch.setenv("FOREKNOW_OPERATOR_ALERT_URLS", f"{operators.url} json://127.0.0.1:9/hush-hush")
        ended = say("alerts", "test")
        assert [call["title"] for call in (*support.taken, *operators.taken)] == ["Alerts of The Club arrive"] * 2
    assert ended.lines == [
        "FOREKNOW_SUPPORT_ALERT_URLS, URL 1 (json): taken",
        "FOREKNOW_OPERATOR_ALERT_URLS, URL 1 (json): taken",
        "FOREKNOW_OPERATOR_ALERT_URLS, URL 2 (json): not taken",
    ]
    assert (ended.code, ended.err) == (1, "foreknow: 1 of 3 channels did not take the alert\n")


def test_without_a_channel_it_is_wrong_usage(say: Command) -> None:
    ended = say("alerts", "test")
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("arguments", [["serve"], ["alerts", "test"]])
def test_a_wrong_channel_is_one_line_and_not_quoted(
    say: Command, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.setenv("FOREKNOW_OPERATOR_ALERT_URLS", "nonsense://hush-hush")
    ended = say(*arguments)
    line = "foreknow: FOREKNOW_OPERATOR_ALERT_URLS is wrong: URL number 1 is not one of apprise's\n"
    assert (ended.code, ended.out, ended.err) == (2, "", line)
