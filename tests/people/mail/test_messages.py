"""To whom a mail goes."""

from __future__ import annotations

import pytest

from foreknow.people.mail.messages import CannotAddress, recipient_of


@pytest.mark.parametrize(
    ("text", "sent_to"),
    [
        ("Ann+x@Example.org", "Ann+x@Example.org"),
        ("ann@bücher.de", "ann@xn--bcher-kva.de"),
        ("ann@exam\ufe0fple。org", "ann@example.org"),
        # Not to strasse.de, which is another's.
        ("ann@straße.de", "ann@xn--strae-oqa.de"),
    ],
)
def test_a_mail_goes_to_the_domain_by_which_its_address_is_known(text: str, sent_to: str) -> None:
    assert recipient_of(text).addr_spec == sent_to


@pytest.mark.parametrize(
    "text",
    [
        "a@evil.com，victim＠x.com",
        "a@x.com；b",
        "a@x.com＞",
        "a@［x］",
        "юля@example.org",
        "a,b@example.org",
        '"a"@example.org',
        "a@" + "b" * 64,
        "a@",
        "a",
    ],
)
def test_an_address_that_cannot_stand_in_a_mails_head_gets_none(text: str) -> None:
    with pytest.raises(CannotAddress):
        recipient_of(text)
