"""What several tests of providers take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.service import Service


@pytest.fixture
def new_service(start_service: Callable[..., Service], oauth_settings: dict[str, Any]) -> Service:
    """A service that has asked no provider anything yet."""
    return start_service(**oauth_settings)
