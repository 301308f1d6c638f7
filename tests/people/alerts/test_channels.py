"""Reading the settings' URLs."""

from __future__ import annotations

import pytest

from foreknow.people.alerts import Channel, WrongAlertUrl, read_channels
from tests.support.webhook import SECRET, webhook

URLS = ["json://127.0.0.1:1/a", "mailto://ann:secret@example.org?to=a@example.org,b@example.org", "xml://127.0.0.1:1/"]


@pytest.mark.parametrize("between", [",", " ", "\n", ", ", " ; ", ",\n  "])
def test_urls_stand_apart_by_commas_or_white_space(between: str) -> None:
    channels = read_channels(f" {between.join(URLS)}, \n")
    assert [one.kind for one in channels] == ["json", "mailto", "xml"]
    assert [one.fingerprint for one in channels] == [Channel(url).fingerprint for url in URLS]


def test_no_url_is_no_channel() -> None:
    assert read_channels("") == read_channels(" \n") == []


def test_a_url_that_stands_twice_counts_once() -> None:
    assert len(read_channels(" ".join([*URLS, *URLS]))) == len(URLS)


@pytest.mark.parametrize("wrong", ["nonsense://hush-hush", "hush-hush", "https://", "json://"])
def test_a_wrong_url_is_named_by_its_position_and_not_quoted(
    wrong: str, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(WrongAlertUrl, match="FOREKNOW_SUPPORT_ALERT_URLS is wrong: URL number 2") as error:
        read_channels(f"{URLS[0]} {wrong if '://' in wrong else 'x://' + wrong}")
    assert SECRET not in str(error.value)
    assert SECRET not in "".join(capsys.readouterr())
    assert SECRET not in caplog.text


def test_a_fingerprint_hides_its_url_and_differs_from_all_others() -> None:
    prints = {Channel(url).fingerprint for url in URLS}
    assert len(prints) == len(URLS)
    assert not any(word in one for one in prints for word in ("json", "secret", "example"))


def test_a_channel_tells_whether_the_other_side_took_it() -> None:
    with webhook(500) as hook:
        channel = Channel(hook.url)
        assert channel.send("Title", "Text & <b>more</b>") is False
        assert channel.send("Title", "Text & <b>more</b>") is True
        (taken,) = hook.taken
        assert (taken["title"], taken["message"]) == ("Title", "Text & <b>more</b>")
    assert channel.send("Title", "No one is there any more") is False
