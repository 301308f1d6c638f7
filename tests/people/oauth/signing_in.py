"""Signing in through a scripted provider."""

from __future__ import annotations

import httpx

from tests.support.oidc import Browser
from tests.support.scripted_provider import ScriptedProvider
from tests.support.service import Service


def sign_in(service: Service, provider: ScriptedProvider, name: str = "scripted", **answer: str) -> httpx.Response:
    browser = Browser(service)
    return browser.come_back(provider.approve(browser.start(name), **answer))
