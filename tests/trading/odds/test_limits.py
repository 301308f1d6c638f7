"""How long and how much of a source's answer is awaited."""

from __future__ import annotations

import pytest

from foreknow.platform.fetching import Fetcher, FetchFailed, PublicTransport
from foreknow.trading.odds.rounds import odds_fetcher
from tests.support.proofs import proves
from tests.support.providers import Reply, provider

MEBIBYTE = 1_048_576


@proves("lifecycle: No redirects,", "lifecycle: 4 MiB;")
async def test_four_mebibytes_are_read_and_no_more_and_no_redirect_is_followed() -> None:
    fetcher = odds_fetcher()
    with provider() as site:
        site.replies |= {
            "/most": Reply(b" " * (4 * MEBIBYTE)),
            "/more": Reply(b" " * (4 * MEBIBYTE + 1)),
            "/moved": Reply(b"", 302, {"Location": "/most"}),
        }
        assert len(await fetcher.get(f"{site.url}/most")) == 4 * MEBIBYTE
        for path in ("/more", "/moved"):
            with pytest.raises(FetchFailed):
                await fetcher.get(site.url + path)
        assert site.asked == ["/most", "/more", "/moved"]
    await fetcher.close()


@proves("lifecycle: 10 s,")
@pytest.mark.parametrize("reply", [Reply(b"late", pause_s=60), Reply(b" " * 600, trickle_s=0.1)])
async def test_an_answer_is_awaited_for_ten_seconds(reply: Reply) -> None:
    usual = odds_fetcher()
    assert usual._answer_s == 10
    await usual.close()
    # The same with a hundredth of it.
    fetcher = Fetcher(answer_s=0.1, transport=PublicTransport())
    with provider() as site:
        site.replies["/"] = reply
        with pytest.raises(FetchFailed, match=r"no whole response within|ReadTimeout"):
            await fetcher.get(f"{site.url}/")
    await fetcher.close()
