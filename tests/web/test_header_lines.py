"""Headers as lines of HTTP/1.1."""

from __future__ import annotations

import pytest

from foreknow.web.responses import JSON_HEADERS, header_lines


def test_headers_become_lines_in_their_order() -> None:
    headers = ((b"location", b"/somewhere"), (b"set-cookie", b"a=b; Path=/"), (b"set-cookie", b"c=d"))
    assert header_lines(headers) == b"location: /somewhere\r\nset-cookie: a=b; Path=/\r\nset-cookie: c=d\r\n"
    assert header_lines(JSON_HEADERS) == header_lines([*JSON_HEADERS])


@pytest.mark.parametrize("value", [b"a\r\nSet-Cookie: b=c", b"a\nb", b"\x00", b"\x7f"])
def test_no_header_begins_another(value: bytes) -> None:
    with pytest.raises(ValueError, match="control character"):
        header_lines((*JSON_HEADERS, (b"location", value)))
