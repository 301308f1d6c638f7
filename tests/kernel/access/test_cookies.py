"""What a cookie is unless it says otherwise."""

from __future__ import annotations

from dataclasses import replace

from foreknow.kernel.access.cookies import Cookie
from foreknow.web.responses import cookie_header


def test_scripts_of_a_page_read_no_cookie_that_does_not_say_so() -> None:
    cookie = Cookie("name", "value", max_age_s=60, secure=True)

    assert b"; HttpOnly" in cookie_header(cookie)[1]
    assert b"HttpOnly" not in cookie_header(replace(cookie, readable=True))[1]
