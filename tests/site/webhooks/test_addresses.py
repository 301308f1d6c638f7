"""Which addresses a webhook may have, by who sets it."""

from __future__ import annotations

import pytest

from foreknow.kernel.errors import BadRequest
from foreknow.site.webhooks.addresses import problem_of, read_address, read_public_address

INSIDE = {"hooks.inside", "10.0.0.7"}


@pytest.mark.parametrize("url", ["", "https://example.org/hook", "https://example.org:8443/hook?a=b", "https://a.b1./"])
def test_a_public_name_by_https_may_be_set_by_anyone(url: str) -> None:
    assert read_address(url, INSIDE) == url
    assert read_public_address(url, INSIDE) == url


@pytest.mark.parametrize("url", ["http://hooks.inside/hook", "https://hooks.inside/hook", "http://10.0.0.7:9000/"])
def test_a_host_of_the_settings_may_be_set_by_an_operator_alone(url: str) -> None:
    assert read_address(url, INSIDE) == url
    with pytest.raises(BadRequest):
        read_public_address(url, INSIDE)
    with pytest.raises(BadRequest):
        read_address(url.replace("inside", "outside").replace("10.0", "10.1").replace("https", "http"), INSIDE)


@pytest.mark.parametrize(
    "host", ["intranet", "intranet.", "foo.localhost", "printer.local.", "metadata.google.internal"]
)
def test_an_inner_name_that_no_setting_spells_is_an_operators_too(host: str) -> None:
    url = f"https://{host}/hook"

    assert read_address(url, INSIDE) == url
    with pytest.raises(BadRequest):
        read_public_address(url, INSIDE)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("https://user:word@example.org/hook", "no password"),
        ("https://example.org/hook#part", "fragment"),
        ("https://example.org/кот", "ASCII"),
        ("https://example.org:0/hook", "port"),
        ("http://example.org/hook", "https://"),
        ("https://93.184.216.34/hook", "IP address"),
        ("https://[::1]/hook", "IP address"),
        ("https://127.1/hook", "IP address"),
        ("https://127.1./hook", "IP address"),
        ("https://0x7f000001/hook", "IP address"),
        ("http://user@hooks.inside/hook", "no password"),
        ("http://hooks.inside/hook#part", "fragment"),
    ],
)
def test_what_is_wrong_with_an_address_is_said(url: str, says: str) -> None:
    problem = problem_of(url, INSIDE)

    assert problem is not None
    assert says in problem
