"""Finds the endpoint of a path: a tree of segments of the raw path.

The contract allows `%2F` inside an external_user_id, which a router on the decoded path (Starlette's, Litestar's)
cannot tell from a slash; and a trailing slash is a different, unknown path.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from foreknow.web.decoding import segment_decoded
from foreknow.web.endpoint import PREFIX, Endpoint

#: An ASGI application that answers a WebSocket path.
SocketApplication = Callable[[Any, Any, Any], Awaitable[None]]


@dataclass(slots=True)
class Node:
    """One segment of the tree: literal children first, else the one parameter."""

    children: dict[str, Node] = field(default_factory=dict)
    parameter: Node | None = None
    name: str = ""
    endpoints: dict[str, Endpoint] = field(default_factory=dict)
    socket: SocketApplication | None = None

    @property
    def answers(self) -> bool:
        """Whether an endpoint or a socket has exactly this path."""
        return bool(self.endpoints) or self.socket is not None


def _segments(raw_path: bytes) -> list[str | None]:
    """Return a path's segments as text; None for one that cannot be decoded."""
    if b"%" not in raw_path and raw_path.isascii():
        return [*raw_path.decode("ascii").split("/")[1:]]
    return [segment_decoded(raw_segment) for raw_segment in raw_path.split(b"/")[1:]]


class Routes:
    """All paths of the service."""

    def __init__(self, endpoints: Iterable[Endpoint], sockets: Iterable[tuple[str, SocketApplication]] = ()) -> None:
        """Build the tree; two endpoints of one method and path are a mistake."""
        self._root = Node()
        self._literal: dict[bytes, Node] = {}
        self.endpoints = list(endpoints)
        self.sockets = list(sockets)
        for endpoint in self.endpoints:
            node = self._plant(endpoint.path)
            assert endpoint.method not in node.endpoints, f"{endpoint.method} {endpoint.path} stands twice"
            node.endpoints[endpoint.method] = endpoint
        for path, socket in self.sockets:
            self._plant(path).socket = socket

    def find(self, raw_path: bytes) -> tuple[Node, dict[str, str | None]] | None:
        """Return the node of a raw path with its parameters as text (None: not decodable); None for an unknown path."""
        literal = self._literal.get(raw_path)
        if literal is not None:
            return literal, {}
        node = self._root
        parameters: dict[str, str | None] = {}
        for segment in _segments(raw_path):
            child = node.children.get(segment) if segment is not None else None
            if child is None:
                child = node.parameter
                if child is None or segment == "":
                    return None
                parameters[child.name] = segment
            node = child
        return (node, parameters) if node.answers else None

    def _plant(self, path: str) -> Node:
        node = self._root
        for segment in (PREFIX + path).split("/")[1:]:
            if segment.startswith("{"):
                node.parameter = node.parameter or Node()
                node = node.parameter
                name = segment[1:-1]
                assert node.name in {"", name}, f"{path}: a path parameter here is called {node.name}"
                node.name = name
            else:
                node = node.children.setdefault(segment, Node())
        if "{" not in path:
            self._literal[(PREFIX + path).encode()] = node
        return node
