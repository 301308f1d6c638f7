#!/usr/bin/env python3
"""Write docs/asyncapi.json, what sockets, streams and webhooks say and take, and the tables in the docs.

`just openapi` runs it.

The document is AsyncAPI 3.0, made of the types that the service encodes and decodes. A page of the docs shows the
messages of a channel between the lines `<!-- messages: watch_events -->` and `<!-- end of messages -->`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import foreknow
from foreknow.service.front import LIVE_UPDATES, TRADE_FEED
from foreknow.site.chat.schemas import ChatMessage, StatusEvent
from foreknow.site.feed.messages import FeedMessage, NumberedFeedMessage
from foreknow.site.live.messages import LiveMessage, WatchRequest
from foreknow.site.webhooks.messages import WebhookMessage
from foreknow.web.components import Components
from foreknow.web.endpoint import PREFIX
from foreknow.web.openapi import encoded

DOCS = Path(__file__).parent.parent / "docs"
TARGET = DOCS / "asyncapi.json"
Schema = Mapping[str, Any]


class Operation(NamedTuple):
    """What one side says on a channel: a type of messages, or a union of such types, and a name for any of them."""

    action: Literal["send", "receive"]
    name: str
    said: Any

    @property
    def kinds(self) -> tuple[type, ...]:
        """The types of messages."""
        return get_args(self.said) or (self.said,)

    @property
    def names(self) -> list[str]:
        """The names of the messages."""
        return [kind.__name__ for kind in self.kinds]


class Channel(NamedTuple):
    """An address, and what is said there."""

    name: str
    #: None for addresses that are not the service's own.
    path: str | None
    title: str
    operations: tuple[Operation, ...]
    query: Schema | None = None


_NUMBERED = {"type": "string", "description": "`1` adds `seq` and `prev` to the messages.", "enum": ["1"]}
CHANNELS = (
    Channel(
        TRADE_FEED.operation_id,
        TRADE_FEED.path,
        TRADE_FEED.summary,
        (Operation("send", "FeedMessage", FeedMessage), Operation("send", "NumberedFeedMessage", NumberedFeedMessage)),
        query={"type": "object", "properties": {"seq": _NUMBERED}},
    ),
    Channel(
        LIVE_UPDATES.operation_id,
        LIVE_UPDATES.path,
        LIVE_UPDATES.summary,
        (Operation("receive", "WatchRequest", WatchRequest), Operation("send", "LiveMessage", LiveMessage)),
    ),
    Channel(
        "stream_chat",
        "/chat/stream",
        "A visitor's support chat (server-sent events)",
        (Operation("send", "ChatEvent", ChatMessage | StatusEvent),),
    ),
    Channel(
        "partner_webhook",
        None,
        "A partner's webhook (POST, Standard Webhooks)",
        (Operation("send", "WebhookMessage", WebhookMessage),),
    ),
)


def document() -> dict[str, Any]:
    """Return the AsyncAPI document, as JSON values."""
    operations = [operation for channel in CHANNELS for operation in channel.operations]
    kinds = [kind for operation in operations for kind in operation.kinds]
    components = Components(kinds)
    schemas = components.schemas
    for schema in schemas.values():
        schema["description"] = " ".join(schema["description"].split())
        if len((tag := schema["properties"].get("type", {})).get("enum", ())) == 1:
            tag |= {"type": "string", "description": "Which message it is.", "examples": tag["enum"]}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Foreknow",
            "version": foreknow.__version__,
            "description": "What the service's sockets, streams and webhooks say and take. openapi.json describes its "
            "requests.",
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "channels": {channel.name: _channel(channel) for channel in CHANNELS},
        "operations": {
            operation.action + operation.name: _operation(channel, operation)
            for channel in CHANNELS
            for operation in channel.operations
        },
        "components": {
            "messages": {kind.__name__: _message(kind, components) for kind in kinds},
            "schemas": schemas | {each.name: _union(each) for each in operations if len(each.kinds) > 1},
        },
    }


def _channel(channel: Channel) -> dict[str, Any]:
    names = [name for operation in channel.operations for name in operation.names]
    described = {
        "address": None if channel.path is None else PREFIX + channel.path,
        "title": channel.title,
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in names},
    }
    return described | ({"bindings": {"ws": {"method": "GET", "query": channel.query}}} if channel.query else {})


def _operation(channel: Channel, operation: Operation) -> dict[str, Any]:
    ref = f"#/channels/{channel.name}"
    messages = [{"$ref": f"{ref}/messages/{name}"} for name in operation.names]
    return {"action": operation.action, "channel": {"$ref": ref}, "messages": messages}


def _message(kind: type, components: Components) -> dict[str, Any]:
    schema, media = components.schemas[kind.__name__], components.media(kind)
    return {
        "name": kind.__name__,
        "summary": schema["description"],
        "payload": media["schema"],
        "examples": [{"payload": media["example"]}],
    }


def _union(operation: Operation) -> dict[str, Any]:
    return {
        "title": operation.name,
        "oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in operation.names],
    }


def shown(page: str, content: Schema) -> str:
    """Return a page with the messages of an AsyncAPI document between its marks."""
    return re.sub(
        r"(?<=<!-- messages: )(\w+)( -->\n).*?(?=<!-- end of messages -->)",
        lambda mark: f"{mark[1]}{mark[2]}\n{_messages(mark[1], content)}\n\n",
        page,
        flags=re.DOTALL,
    )


def _messages(channel: str, content: Schema) -> str:
    """Return tables of a channel's messages, and of what they hold and no answer to a request does."""
    schemas = content["components"]["schemas"]
    answered = json.loads((DOCS / "openapi.json").read_text())["components"]["schemas"]
    operations = [each for each in content["operations"].values() if _name_of(each["channel"]) == channel]
    said = {
        action: [_name_of(ref) for each in operations if each["action"] == action for ref in each["messages"]]
        for action in ("receive", "send")
    }
    held = dict.fromkeys(part for names in said.values() for name in names for part in _held(schemas[name], schemas))
    tables: list[str] = []
    for action, head in (("receive", "You send"), ("send", "The service sends")):
        if said[action]:
            rows = ([f"`{_form(schemas[name])}`", schemas[name]["description"]] for name in said[action])
            (example,) = content["components"]["messages"][said[action][0]]["examples"]
            shown_as = json.dumps(example["payload"], ensure_ascii=False)
            tables += [_table([head, ""], rows), f"```json\n{shown_as}\n```"]
    tables += [_fields(name, schemas[name]) for name in held if name not in answered and schemas[name]["properties"]]
    if shared := [f"`{name}`" for name in held if name in answered]:
        tables.append(f"{' and '.join(shared)}: as requests answer them ([openapi.json](openapi.json)).")
    return "\n\n".join(tables)


def _name_of(ref: Schema) -> str:
    return str(ref["$ref"]).rpartition("/")[2]


def _held(schema: Schema, schemas: Schema) -> Iterator[str]:
    """Yield the names of the schemas that a schema refers to, and that these refer to."""
    for field in schema["properties"].values():
        for part in (field, field.get("items", {}), *field.get("anyOf", ())):
            if "$ref" in part:
                yield _name_of(part)
                yield from _held(schemas[_name_of(part)], schemas)


def _form(schema: Schema) -> str:
    """Return a message in brief: `{"type": "prices", "pool": LivePool}`."""
    return "{" + ", ".join(f'"{key}": {_value(field)}' for key, field in schema["properties"].items()) + "}"


def _value(field: Schema) -> str:
    if "$ref" in field:
        return _name_of(field)
    if "items" in field:
        return f"[{_value(field['items'])}]"
    return json.dumps((field.get("examples") or field["enum"])[0], ensure_ascii=False)


def _fields(name: str, schema: Schema) -> str:
    fields = schema["properties"].items()
    rows = ([f"`{key}`", _kind(field), field["description"]] for key, field in fields)
    return _table([f"`{name}`", "", schema["description"]], rows)


def _kind(field: Schema) -> str:
    if "$ref" in field:
        return f"`{_name_of(field)}`"
    if "anyOf" in field:
        return " or ".join(map(_kind, field["anyOf"]))
    if "enum" in field:
        return ", ".join(f"`{json.dumps(value)}`" for value in field["enum"])
    return f"array of {_kind(field['items'])}" if "items" in field else str(field["type"])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["".join(f"| {cell} ".replace("  ", " ") for cell in cells) + "|" for cells in (head, *rows)]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]])


def main() -> None:
    """Write the document and the pages."""
    content = document()
    TARGET.write_bytes(encoded(content))
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text()
        if (current := shown(text, content)) != text:
            page.write_text(current)
    print(TARGET)


if __name__ == "__main__":
    main()
