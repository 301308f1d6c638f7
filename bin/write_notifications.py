#!/usr/bin/env python3
"""Write what the web client has of the kinds of notifications: their texts, a list of them, and their parameters.

`just openapi` runs it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import msgspec

from foreknow.people.notifications.kinds import KINDS, NotificationParams

SOURCES = Path(__file__).parent.parent / "web" / "src"
EMPTY = '""'
LIST = """\
// Written by bin/write_notifications.py from the kinds that the service declares: `just openapi`.
import type {{ Schemas }} from "../api/client.ts";
import {{ bpsText }} from "./alert-limits.ts";
import {{ dateTime, percent, signed }} from "./formats.ts";
import {{ money }} from "./money.ts";

interface Kind {{
  /** The heading of the settings under which it stands. */
  group: "own" | "followed" | "run";
  /** What it is about: a filter of the list. */
  section: "waiting" | "results" | "moves" | "closing" | "decided" | "published" | "talk";
  /** Where it leads; "" for its event. */
  link: string;
}}

/** By name; a newer service may know more. */
export const KINDS: Partial<Record<string, Kind>> = {{
{kinds}
}} satisfies Record<Schemas["Notification"]["type"], Kind>;

/** Parameters as texts say them. */
export const spoken = (params: Schemas["NotificationParams"]) => ({{
{params}
}});
"""


#: How numbers are said that are neither whole nor of a unit.
_NUMBERS = {"score": "signed({value})", "coverage": "percent({value}, 0, false)"}


def spoken(field: msgspec.structs.FieldInfo) -> str:
    """Return how a text says a parameter, by its unit."""
    name, value = field.name, f"params.{field.name}"
    for unit, written in (("_kopecks", "money"), ("_bps", "bpsText")):
        if name.endswith(unit):
            return f"{name.removesuffix(unit)}: {written}({value} ?? 0)"
    if name.endswith("_at"):
        return f'{name.removesuffix("_at")}: {value} ? dateTime({value}) : ""'
    if name.endswith("_until"):
        return f'{name}: {value} ? dateTime({value}) : ""'
    if name in _NUMBERS:
        return f"{name}: {_NUMBERS[name].format(value=f'{value} ?? 0')}"
    union, _ = get_args(field.type)
    return f"{name}: {value} ?? {0 if int in get_args(union) else EMPTY}"


def files() -> Mapping[Path, str]:
    """Return the files, each with its text."""
    abouts = [kind.about for kind in KINDS.values()]
    kinds = "\n".join(
        f'  {one.kind}: {{ group: "{one.group}", section: "{one.section}", link: "{one.link}" }},' for one in abouts
    )
    # The names of an event, its pools and markets are there or "": the client says them in its own language.
    # No text says what each outcome is paid.
    fields = msgspec.structs.fields(NotificationParams)
    optional = [one for one in fields if one.default != "" and one.name != "payouts"]
    params = "\n".join(f"  {spoken(one)}," for one in optional)
    texts = {
        language: {
            **{f"listed_{one.kind}": getattr(one.listed, language) for one in abouts},
            **{f"setting_{one.kind}": getattr(one.setting, language) for one in abouts},
        }
        for language in ("en", "ru")
    }
    messages = {
        SOURCES / "messages" / f"notices.{language}.json": json.dumps(said, ensure_ascii=False, indent=2) + "\n"
        for language, said in texts.items()
    }
    return {SOURCES / "lib" / "notification-kinds.ts": LIST.format(kinds=kinds, params=params), **messages}


def main() -> None:
    """Write the files."""
    for path, text in files().items():
        path.write_text(text)
        print(path)


if __name__ == "__main__":
    main()
