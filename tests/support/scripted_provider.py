"""An OpenID Connect provider on a real socket that breaks the rules as a test sets, and checks PKCE."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from joserfc import jws
from joserfc.jwk import RSAKey

#: (status, headers, body)
Raw = tuple[int, dict[str, str], bytes]


def new_key(kid: str) -> RSAKey:
    """Make a key to sign with."""
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig", "alg": "RS256"})


class ScriptedProvider:
    """Answers as its fields say; `behave` puts them right again."""

    def __init__(self) -> None:
        """Listen."""
        self._codes: dict[str, dict[str, str]] = {}
        self._first_key = new_key("first")
        self.behave()
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                provider._serve(self, b"")

            def do_POST(self) -> None:
                provider._serve(self, self.rfile.read(int(self.headers["Content-Length"])))

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name in the base class
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def behave(self) -> None:
        """Follow the rules."""
        #: Shown at /jwks, and signed with.
        self.shown = [self._first_key]
        self.key: Any = self._first_key
        #: Over the right ones of ID token, its header, discovery and userinfo; None takes one out.
        self.claims: dict[str, Any] = {}
        self.header: dict[str, Any] = {}
        self.discovery: dict[str, Any] = {}
        self.user_info: dict[str, Any] | None = None
        #: What a path answers with instead.
        self.instead: dict[str, Raw | Callable[[BaseHTTPRequestHandler], None]] = {}
        #: (path, form or {}, headers) of each request.
        self.asked: list[tuple[str, dict[str, str], dict[str, str]]] = []

    def stop(self) -> None:
        """Listen no longer."""
        self._server.shutdown()
        self._server.server_close()

    def approve(self, url: str, **answer: str) -> str:
        """Sign in at `url` and return the address that leads back; `answer` goes over its parameters."""
        asked = dict(parse_qsl(urlsplit(url).query))
        code = secrets.token_urlsafe(16)
        self._codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']} | answer)}"

    def paths(self) -> list[str]:
        """Return the requests, in order."""
        return [path for path, _, _ in self.asked]

    def _serve(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        path = urlsplit(handler.path).path
        form = dict(parse_qsl(body.decode()))
        self.asked.append((path, form, {name.lower(): value for name, value in handler.headers.items()}))
        instead = self.instead.get(path)
        if callable(instead):
            instead(handler)
            return
        status, headers, answer = instead or self._answer(path, form)
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(answer)))
        handler.end_headers()
        handler.wfile.write(answer)

    def _answer(self, path: str, form: dict[str, str]) -> Raw:
        if path == "/.well-known/openid-configuration":
            return _json(200, self._merged(self._metadata(), self.discovery))
        if path == "/jwks":
            return _json(200, {"keys": [key.as_dict(private=False) for key in self.shown]})
        if path == "/userinfo":
            return _json(200, self.user_info)
        if path == "/token":
            return self._exchange(form)
        return _json(404, {})

    def _metadata(self) -> dict[str, Any]:
        paths = {"authorization_endpoint": "/authorize", "token_endpoint": "/token", "jwks_uri": "/jwks"}
        return {"issuer": self.issuer} | {name: self.issuer + path for name, path in paths.items()}

    def _exchange(self, form: dict[str, str]) -> Raw:
        asked = self._codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        right = asked is not None and asked["code_challenge"] == challenge and asked["code_challenge_method"] == "S256"
        if asked is None or not right or asked["redirect_uri"] != form.get("redirect_uri"):
            return _json(400, {"error": "invalid_grant"})
        now_s = int(time.time())
        claims = {
            "iss": self.issuer,
            "sub": "a-subject",
            "aud": asked["client_id"],
            "iat": now_s,
            "exp": now_s + 300,
            "nonce": asked["nonce"],
        }
        header = self._merged({"alg": "RS256", "kid": "first"}, self.header)
        said = json.dumps(self._merged(claims, self.claims))
        token = jws.serialize_compact(header, said, self.key, algorithms=[header["alg"]])
        return _json(200, {"token_type": "Bearer", "access_token": "an-access-token", "id_token": token})

    def _merged(self, usual: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in (usual | over).items() if value is not None}


def _json(status: int, content: Any) -> Raw:
    return status, {"Content-Type": "application/json"}, json.dumps(content).encode()


def drip_until(released: threading.Event, content: bytes = b"{}") -> Callable[[BaseHTTPRequestHandler], None]:
    """Answer with a space now and then, so that no read takes long, and with `content` in the end."""

    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Connection", "close")
        handler.end_headers()
        # Who has given up takes nothing any more.
        with contextlib.suppress(OSError):
            while not released.wait(0.1):
                handler.wfile.write(b" ")
            handler.wfile.write(content)

    return drip
