"""WebSocket handshakes at addresses where nothing listens."""

from __future__ import annotations

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.support.service import Service


@pytest.mark.parametrize("path", ["/api/v1/ws/nothing", "/api/v1/ws/trades/", "/api/v1/health"])
def test_a_handshake_where_nothing_listens_is_404(service: Service, path: str) -> None:
    with pytest.raises(InvalidStatus) as refused, connect(service.url.replace("http", "ws") + path, proxy=None):
        pass

    assert refused.value.response.status_code == 404
    assert b'"error":"not_found"' in refused.value.response.body
