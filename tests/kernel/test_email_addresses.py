"""One mailbox has one key, however its domain is spelled."""

from __future__ import annotations

import pytest

from foreknow.kernel.email_addresses import address_key, ascii_domain


@pytest.mark.parametrize(
    ("domain", "sent_to"),
    [
        ("Example.ORG", "example.org"),
        ("b", "b"),
        ("a_b.test", "a_b.test"),
        ("пример.рф", "xn--e1afmkfd.xn--p1ai"),
        ("XN--E1AFMKFD.РФ", "xn--e1afmkfd.xn--p1ai"),
        ("straße.de", "xn--strae-oqa.de"),
        ("i❤.ws", "xn--i-7iq.ws"),
        ("exam\ufe0fp\u034fle\u3002org", "example.org"),
        ("ｅｘａｍｐｌｅ.org", "example.org"),
    ],
)
def test_a_domain_is_spelled_as_the_network_knows_it(domain: str, sent_to: str) -> None:
    assert ascii_domain(domain) == sent_to


@pytest.mark.parametrize(
    "domain",
    ["evil.com，victim＠x.com", "x。", "x.test：25", "[127.0.0.1]", "a,b", "", ".", "é" * 64, "a" * 256, "\ud800"],
)
def test_what_is_no_domain_has_none(domain: str) -> None:
    assert ascii_domain(domain) is None


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("Ann@Example.org", "aNN@exam\ufe0fple.ORG", True),
        ("ann@bücher.de", "ann@xn--bcher-kva.de", True),
        ("ann@bücher.de", "ANN@BU\u0308CHER。DE", True),
        ("ann@straße.de", "ann@strasse.de", False),
        ("ann@example.org", "ann@example.net", False),
        # A label that no letters lead to is itself.
        ("ann@xn--foo-.de", "ann@foo.de", False),
    ],
)
def test_addresses_of_one_mailbox_have_one_key(one: str, other: str, is_same: bool) -> None:
    assert (address_key(one) == address_key(other)) is is_same


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("ИВАН@Пример.РФ", "иван@пример.рф"),
        ("Ann", "ann"),
        ("Ann@xn--99999999999", "ann@xn--99999999999"),
        ("Ann@[::1]", "ann@[::1]"),
    ],
)
def test_a_key_is_in_letters_in_lower_case(text: str, key: str) -> None:
    assert address_key(text) == key
