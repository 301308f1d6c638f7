"""Tests that need no more than one kind of database."""

from __future__ import annotations

import pytest

#: For what the database has no say in.
ON_SQLITE = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
