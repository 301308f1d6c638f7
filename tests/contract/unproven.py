r"""Which words of the contract no test names: `just unproven`, or `python -m tests.contract.unproven`.

The contract is the pages of `PAGES`, of a topic's page its section "The contract"; a test says what it proves of
them with `@proves("decisions: a trailing slash is 404")`. The rule:

- A line is a bullet, a numbered item, a row of a table, a paragraph or a formula. Headings say nothing by themselves:
  neither do the heads of tables, the topic before a row's text, and a line that ends in a colon.
- A line is proven when all its words stand in a text that some test names. What is left over of it is listed.
- Sentences that end in "not shown" promise nothing. What else promises nothing that a test could see stands in `SAID`,
  with the reason; nothing in there may be named by a test as well.
- Sections whose heading ends in "(to come)" are not built yet, and neither are the texts of `TO_COME`: no test names
  them.
- A named text stands in its page word for word, but for white space and for the backslash of a table's `\|`. Where it
  stands in several places it names all of them, and so it must be a whole statement in each.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from tests.support.modules import ROOT, Module, in_modules
from tests.support.proofs import HEADING, PAGES, page_of

#: Pages of which not all is built yet: what tests name stands in them, and the rest waits.
BEING_BUILT: tuple[str, ...] = ()

#: What stands in the pages and promises nothing that a test could see, and why.
SAID: dict[str, str] = {
    (
        "interface: This document covers the whole service: a prediction-market service with events, pools, markets, "
        "positions, comments, chat support, a partner integration and a live trade feed. All paths are relative to "
        "{base_url}. The WebSocket address is {ws_url} (same host, wss scheme)."
    ): "names for what follows and for the reader's own addresses; TLS is the proxy's",
    (
        "interface: In the event-creation response it can be 0 although a value was sent; the echo of the request "
        "value is not guaranteed."
    ): "leaves open what the decisions promise: `margin` as sent",
    "interface: Auth column uses the levels defined in section 5.": "points to another section",
    "interface: Codes are given per endpoint in section 4.": "points to another section",
    "interface: See section 6.": "points to another section",
    "interface: 5. Clients are expected to reconnect with exponential backoff after a drop.": "what clients do",
    "interface: Partner endpoints document no endpoint-specific codes": "speaks of the page itself",
    (
        "decisions: `interface.md` is the user's own text and wins wherever it speaks. This page fills what it marks "
        '"not shown", so that every part of the product, and every client of it, assumes the same. It is a contract: '
        "paths, field names, codes and units below are fixed; how they are built is not. Where both pages are silent, "
        "build what a user of such a service would expect and write the choice into the project's docs."
    ): "says how to read the page",
    (
        "client: What the web client (and any other) needs beyond interface.md and decisions.md; their ground rules "
        "hold."
    ): "says how to read the page",
    "forecasts: Continues decisions.md, whose ground rules hold.": "says how to read the page",
    "lists: Continues decisions.md and baskets.md, whose ground rules hold.": "says how to read the page",
    (
        "client: Not planned: search suggestions and related events (`/cards` serves both), quotes for a target price "
        "(closed form)."
    ): "says what there is not",
    "lifecycle: Continues decisions.md, whose ground rules hold.": "says how to read the page",
    (
        "baskets: Continues decisions.md, whose ground rules hold. A **basket** is one order on several outcomes of a "
        'pool at one exact price: a range of a number, a whole distribution, or "B, if A". All of it is the pool\'s '
        "one LMSR."
    ): "says how to read the page",
    "bots: Continues client.md, whose ground rules hold.": "says how to read the page",
    "orders: Continues decisions.md, whose ground rules hold.": "says how to read the page",
    "site: Continues decisions.md and client.md, whose ground rules hold.": "says how to read the page",
    (
        "administration: Continues decisions.md and site.md, whose ground rules hold. Who runs a community is seldom "
        "who edits its server's environment: what a community decides about itself is changed on a page, by an admin, "
        "and holds on every server."
    ): "says how to read the page",
    "site: Paths are the API's, but pages, `/unsubscribe`, `/feeds`, `/embed`.": "says how to read the page",
    (
        "results: Continues decisions.md and lifecycle.md, whose ground rules hold. A verdict says why and from where; "
        "who holds shares is told at once and can object where all can see; rules are made clearer, never changed."
    ): "says how to read the page, and what follows in it",
    "results: **Objections.**": "heads what follows",
    "partners: Continues bots.md, whose ground rules hold.": "says how to read the page",
    "decisions: the refresh token may be opaque": "a permission",
    (
        "decisions: refunds of stakes would let two colluders drain the house without bound, while any payouts that "
        "sum to 1 keep its loss within the bound."
    ): "the reason of the rule before it",
}

#: What is not built yet, outside the sections that are marked so.
TO_COME: tuple[str, ...] = ("administration: , objections}`,",)


@dataclass(frozen=True, slots=True)
class Named:
    """A text that a test says it proves."""

    page: str
    text: str
    place: str
    test: str


@dataclass
class Page:
    """A page as one string without line breaks, and for each of its characters whether a test names it."""

    text: str
    starts: dict[int, int] = field(default_factory=dict)
    named: bytearray = field(default_factory=bytearray)

    @classmethod
    def of(cls, markdown: str) -> Page:
        """Join the lines that say something; `starts` has the number of the line that begins at a character."""
        pieces: list[str] = []
        starts: dict[int, int] = {}
        length = 0
        lines = markdown.splitlines()
        has_topics = is_to_come = False
        first = lines.index(HEADING) if HEADING in lines else 0
        for index, line in enumerate(lines[first:], first):
            if line.startswith("#"):
                is_to_come = line.endswith("(to come)")
            if index + 1 < len(lines) and lines[index + 1].startswith("|---"):
                has_topics = line.startswith("| Topic |")
                continue
            if is_to_come or not line.strip() or line.startswith(("#", "|---")) or re.fullmatch(r"[^|.;]*:", line):
                continue
            has_topics = has_topics and line.startswith("|")
            piece = plain(line.split("|", 2)[2] if has_topics else line)
            starts[length] = index + 1
            pieces.append(piece)
            length += len(piece) + 1
        text = " ".join(pieces)
        return cls(text, starts, bytearray(len(text)))

    @cached_property
    def ends(self) -> set[int]:
        """Where lines end."""
        return {start - 1 for start in self.starts if start} | {len(self.text)}

    def places(self, text: str) -> list[tuple[int, int]]:
        """Where a text begins and ends, each time that it stands in the page."""
        return [match.span() for match in re.finditer(re.escape(text), self.text)]

    def name(self, text: str) -> str | None:
        """Note that a test names this text; return what is wrong with it."""
        places = self.places(text)
        if not places:
            return "does not stand in the page"
        if len(places) > 1 and not all(self._is_whole(*place) for place in places):
            return f"stands in {len(places)} places and is no whole statement in each"
        for start, end in places:
            self.named[start:end] = b"\1" * (end - start)
        return None

    def left(self) -> Iterator[tuple[int, str]]:
        """Every line with words that no test names: its number, and the line with those words in «»."""
        lines = sorted(self.starts.items())
        for (start, number), end in zip(lines, [*(start - 1 for start, _ in lines[1:]), len(self.text)], strict=True):
            shown, is_open = [], False
            for match in re.finditer(r"\S+", self.text[start:end]):
                word, at = match[0], start + match.start()
                letters = [self.named[at + i] for i, sign in enumerate(word) if sign.isalnum()]
                # A sign of no letters (→, =, ≥) goes with the word before it.
                is_left = not all(letters) if letters else is_open
                shown.append("» " * (is_open and not is_left) + "«" * (is_left and not is_open) + word)
                is_open = is_left
            line = " ".join(shown).replace(" » ", "» ") + "»" * is_open
            if "«" in line:
                yield number, line

    def _is_whole(self, start: int, end: int) -> bool:
        begins = start in self.starts or self.text[start - 2 : start] in {"; ", ". ", "| ", "- "}
        return begins and (end in self.ends or self.text[end - 1] in ".;|" or self.text[end] in ".;")


def plain(text: str) -> str:
    r"""Spaces for all white space, `|` for a table's `\|`."""
    return " ".join(text.split()).replace("\\|", "|")


@in_modules("tests")
def named_in(module: Module) -> Iterator[Named]:
    """What the tests of one file name, read from its source. `ValueError` for a mark that proves nothing."""
    file = module.name.rpartition("/")[2]
    if not file.startswith("test_"):
        return
    known: dict[str, list[str]] = {}
    for statement in module.tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if (found := texts(value, known)) is not None:
                    known[name] = found
    on_tests = {
        call: function.name
        for function in module.functions
        if function.name.startswith("test_")
        if not re.search(r"mark\.(skip|xfail)\b", " ".join(map(ast.unparse, function.decorator_list)))
        for decorator in function.decorator_list
        for call in calls(ast.walk(decorator))
    }
    for call in calls(module.all(ast.Call)):
        place = f"{module.name.removeprefix('tests/')}:{call.lineno}"
        if call not in on_tests:
            raise ValueError(f"{place}: this proves() marks no test that runs")
        for argument in call.args:
            lines = texts(argument, known)
            if lines is None:
                raise ValueError(
                    f"{place}: proves() takes literals and constants of its file, not {ast.unparse(argument)}"
                )
            for page, _, line in (text.partition(": ") for text in lines):
                yield Named(page, plain(line), place, on_tests[call])


def calls(nodes: Iterable[ast.AST]) -> Iterator[ast.Call]:
    """Every call of `proves` among nodes."""
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "proves":
            yield node


def texts(node: ast.expr, known: dict[str, list[str]]) -> list[str] | None:
    """The strings that an expression of literals and of the file's own constants stands for; None for any other."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.Name(id=name):
            return known.get(name)
        case ast.Starred(value=value):
            return texts(value, known)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            found = [texts(part, known) for part in parts]
            return None if None in found else [text for each in found for text in each or ()]
    return None


def complaints() -> list[str]:
    """The words of the contract that no test names, and each named text that does not stand in it: one a line."""
    pages = {name: Page.of(page_of(name).read_text()) for name in (*PAGES, *BEING_BUILT)}
    wrong = [
        f"{named.place}: {complaint}: {named.text}"
        for named in named_in.found
        if (complaint := pages[named.page].name(named.text))
    ]
    for line in (*SAID, *TO_COME):
        name, _, text = line.partition(": ")
        page, said = pages[name], plain(text)
        at = page.text.find(said)
        if at < 0 or any(page.named[at : at + len(said)]):
            wrong.append(f"SAID, TO_COME: does not stand in {name}.md, or a test names it: {said}")
        page.name(said)
    for name, page in pages.items():
        for match in re.finditer(r"(?:^|(?<=[.;|] )|(?<=- ))[^.;|]*not shown\.", page.text):
            page.name(match[0])
        if name in BEING_BUILT:
            continue
        wrong += [f"{page_of(name).relative_to(ROOT)}:{number}: {line}" for number, line in page.left()]
    return wrong


def main() -> int:
    """Print what is unproven; exit 1 if anything is."""
    wrong = complaints()
    print("\n".join(wrong) or "All words of the contract are named by a test.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
