"""To whom a mail goes, and what its subject says."""

from __future__ import annotations

import pytest

from foreknow.people.mail.messages import CannotAddress, recipient_of, subject_of


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


@pytest.mark.parametrize(
    ("name", "subject"),
    [
        ("Will 👩\u200d👩\u200d👧 win?", "Will 👩\u200d👩\u200d👧 win?"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\U0001fae8", "\U0001fae8"),
        ("one\r\nBcc: two\u2028three\x07\ud800", "one Bcc: two three"),
        # Of a name that was taken before they were refused.
        ("\u202egnirts\u2069", "gnirts"),
        ("x" * 200, "x" * 149 + "…"),
    ],
)
def test_a_subject_keeps_what_names_are_made_of_on_one_line(name: str, subject: str) -> None:
    assert subject_of(name) == subject
