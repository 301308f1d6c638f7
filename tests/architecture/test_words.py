"""Source, docs, log events and the web client's texts use the field's words.

Those of `dialect.toml`, and of the column *Instead of* in the glossary, do not occur. The texts of the web client do
without those of `web_texts.toml` too, which has a list for each language.
"""

from __future__ import annotations

import ast
import functools
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.modules import ROOT, Module, in_modules
from tests.support.proofs import beside_contract

LIST = Path(__file__).with_name("dialect.toml")
WEB_LIST = Path(__file__).with_name("web_texts.toml")
WEB_TEXTS = ROOT / "web" / "src" / "messages"
GLOSSARY = ROOT / "docs" / "glossary.md"
FOLDERS = ("src", "tests", "docs", "bench", "faults", "bin", "examples", "clients", "deploy")
SUFFIXES = {"", ".py", ".md", ".mako", ".toml", ".sql", ".conf", ".env", ".service", ".timer"}
#: The contract stands word for word; the list and its test name words to avoid, and so does a column of the glossary,
#: whose terms are read apart; tools write migrations and licences; what survives is quoted from the source.
LEFT_OUT = (
    "clients/python/LICENSE",
    "docs/contract/",
    "docs/glossary.md",
    "docs/licences.md",
    "src/foreknow/web/swagger/LICENSE",
    "src/foreknow/platform/db/migrations/versions/",
    "tests/architecture/dialect.toml",
    "tests/architecture/test_words.py",
    "tests/mutants/survivors/",
)
#: Tests quote lines of the contract, which begin with the name of their page.
QUOTATIONS = re.compile(
    r"""(["'])(interface|client|decisions|lifecycle|orders|baskets|lists|administration): .*?\1(\s*\1.*?\1)*"""
)
LOG_METHODS = {"debug", "info", "warning", "error", "exception", "critical"}
#: A log event is a phrase to search for, not a sentence.
LOG_EVENT_WORDS_MAX = 8


@dataclass(frozen=True, slots=True)
class Word:
    """A word that must not occur, and where it may."""

    pattern: re.Pattern[str]
    instead: str
    right_in: tuple[str, ...] = ()
    right_as: tuple[str, ...] = ()
    #: Where the pattern is a list of terms: each of one word; each of several, and these.
    terms: frozenset[str] = frozenset()
    phrases: tuple[tuple[str, frozenset[str]], ...] = ()

    def findings(self, path: str, text: str) -> Iterator[str]:
        """Yield where the word occurs in the text of a file."""
        if any(path == place or path.startswith(place + "/") for place in self.right_in):
            return
        prose = prose_of(self._without_right_phrases(text))
        if not (self._has_a_term(prose) if self.terms else loosely(self.pattern).search(prose)):
            return
        for found in self.pattern.finditer(prose):
            number = prose.count("\n", 0, found.start()) + 1
            yield f"{path}:{number}: {found[0]!r} (instead: {self.instead})"

    def _has_a_term(self, prose: str) -> bool:
        """Tell whether a text has any of the terms: to search each text for a long list of them is slow."""
        words = words_in(prose)
        return not words.isdisjoint(self.terms) or any(
            words.issuperset(parts) and phrase in prose for phrase, parts in self.phrases
        )

    def _without_right_phrases(self, text: str) -> str:
        for phrase in self.right_as:
            text = text.replace(phrase, "")
        return text


@dataclass(frozen=True, slots=True)
class Term:
    """A row of the glossary: one term or several, their meaning, and words that do not occur."""

    names: tuple[str, ...]
    meaning: str
    instead_of: tuple[str, ...]


def glossary() -> list[Term]:
    rows = re.findall(r"^\| (.+?) \| (.+?) \|(?: (.+?))? \|$", GLOSSARY.read_text(), flags=re.MULTILINE)
    return [
        Term(tuple(names.split(", ")), meaning, tuple(filter(None, instead_of.split(", "))))
        for names, meaning, instead_of in rows
        if names != "Term"
    ]


def words() -> list[Word]:
    listed = tomllib.loads(LIST.read_text())["word"]
    replaced = [word for term in glossary() for word in term.instead_of]
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, replaced))})s?\b", re.IGNORECASE)
    either = [each.lower() + ending for each in replaced for ending in ("", "s")]
    terms = frozenset(term for term in either if term.isalpha())
    phrases = tuple((term, words_in(term)) for term in either if term not in terms)
    return [Word(pattern, "its term in docs/glossary.md", terms=terms, phrases=phrases), *of_list(listed)]


def of_list(listed: list[dict[str, Any]]) -> list[Word]:
    return [
        Word(
            re.compile(rf"\b(?:{entry['pattern']})\b", re.IGNORECASE),
            entry["instead"],
            tuple(entry.get("right_in", ())),
            tuple(entry.get("right_as", ())),
        )
        for entry in listed
    ]


@functools.cache
def loosely(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """Return a pattern that finds at least as much in lower case, and fast: it begins with letters."""
    return re.compile(pattern.pattern.removeprefix(r"\b"))


@functools.lru_cache(maxsize=1)
def prose_of(text: str) -> str:
    """Return what is read for words, in lower case; most words read the same text of a file."""
    return split_identifiers(without_quotations(text)).lower()


@functools.lru_cache(maxsize=1)
def words_in(prose: str) -> frozenset[str]:
    """Return the words of a text in lower case."""
    return frozenset(re.findall(r"\w+", prose))


def without_quotations(text: str) -> str:
    """Leave out quoted lines of the contract; keep the number of lines."""
    return QUOTATIONS.sub(lambda quotation: "\n" * quotation[0].count("\n"), text)


def split_identifiers(text: str) -> str:
    """Put spaces between the words of identifiers: check_room, UserGate."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text.replace("_", " "))


def files() -> Iterator[Path]:
    yield from sorted(ROOT.glob("*.md"))
    yield ROOT / "web" / "README.md"
    yield from sorted(WEB_TEXTS.glob("*.en.json"))
    for folder in FOLDERS:
        yield from sorted(
            path for path in (ROOT / folder).rglob("*") if path.is_file() and path.suffix in SUFFIXES and is_ours(path)
        )


def text_of(path: Path) -> str:
    """Return a file's text; of messages only what people read, without the keys; of a page not the contract."""
    text = path.read_text(encoding="utf-8")
    return beside_contract(re.sub(r'^ *"\w+": ', "", text, flags=re.MULTILINE) if path.suffix == ".json" else text)


def is_ours(path: Path) -> bool:
    name = path.relative_to(ROOT).as_posix()
    return not name.startswith(LEFT_OUT) and "__pycache__" not in name


@in_modules("src")
def log_events(module: Module) -> Iterator[tuple[str, str]]:
    """Yield the place and text of each event that a module logs."""
    for call in module.all(ast.Call):
        match call:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="log"), attr=method), args=[ast.Constant(value=str(event)), *_]
            ) if method in LOG_METHODS:
                yield f"{module.name}:{call.lineno}", event


def wrong_log_event(event: str) -> str | None:
    """Return what is wrong with an event's text; None if nothing is."""
    if re.match(r"(the|a|an)\b", event, re.IGNORECASE):
        return "begins with an article"
    if event[:1].isupper() or event.endswith("."):
        return "is written as a sentence"
    if len(event.split()) > LOG_EVENT_WORDS_MAX:
        return f"has more than {LOG_EVENT_WORDS_MAX} words"
    return None


def test_no_listed_word_occurs() -> None:
    texts = {path.relative_to(ROOT).as_posix(): text_of(path) for path in files()}
    listed = words()
    texts["docs/glossary.md"] = "\n".join(f"{', '.join(term.names)}: {term.meaning}" for term in glossary())
    findings = [finding for path, text in texts.items() for word in listed for finding in word.findings(path, text)]

    assert not findings, "\n".join(["", *findings])


def test_the_web_client_has_one_word_for_one_thing_in_each_language() -> None:
    lists = tomllib.loads(WEB_LIST.read_text())
    findings = [
        finding
        for language, listed in lists.items()
        for word in of_list(listed)
        for path in sorted(WEB_TEXTS.glob(f"*.{language}.json"))
        for finding in word.findings(path.relative_to(ROOT).as_posix(), text_of(path))
    ]

    assert set(lists) == {path.suffixes[0].lstrip(".") for path in WEB_TEXTS.glob("*.json")}
    assert not findings, "\n".join(["", *findings])


def test_a_term_stands_in_the_glossary_once_and_where_the_alphabet_has_it() -> None:
    names = [name.casefold() for term in glossary() for name in term.names]
    sections = GLOSSARY.read_text().split("\n## ")[1:]
    #: The layers stand from the top down.
    alphabetical = [re.findall(r"^\| ([^|]+) \|", section, flags=re.MULTILINE)[1:] for section in sections[1:]]

    assert len(names) > 150
    assert [name for name in names if names.count(name) > 1] == []
    assert [rows for rows in alphabetical if rows != sorted(rows, key=str.casefold)] == []


def test_a_word_to_avoid_stands_in_one_list() -> None:
    replaced = [word for term in glossary() for word in term.instead_of]
    of_dialect = of_list(tomllib.loads(LIST.read_text())["word"])

    assert len(replaced) > 80
    assert [word for word in replaced if replaced.count(word) > 1] == []
    assert [word for word in replaced for listed in of_dialect if listed.pattern.fullmatch(word)] == []


def test_the_layers_of_the_glossary_are_those_of_the_source() -> None:
    layers = [name.strip("`/") for term in glossary() for name in term.names if name.endswith("/`")]
    folders = {path.parent.name for path in (ROOT / "src" / "foreknow").glob("*/__init__.py")}

    assert sorted(layers) == sorted(folders)


def test_log_events_are_short_phrases() -> None:
    findings = [f"{place}: {event!r} {wrong}" for place, event in log_events.found if (wrong := wrong_log_event(event))]

    assert len(log_events.found) > 50
    assert not findings, "\n".join(["", *findings])


def test_a_word_is_found_in_prose_and_in_names_and_allowed_where_it_is_right() -> None:
    word = Word(re.compile(r"\bgate\b", re.IGNORECASE), "limit", right_in=("src/locks",), right_as=("logic gate",))

    assert len(list(word.findings("src/a.py", "# The gate.\nuser_gate = UserGate()\n"))) == 3
    assert list(word.findings("src/a.py", "navigate the logic gate")) == []
    assert list(word.findings("src/locks/a.py", "a gate")) == []


def test_each_word_that_the_glossary_replaces_is_found_one_and_several() -> None:
    (word, *_) = words()
    for replaced in (replaced for term in glossary() for replaced in term.instead_of):
        for written in (replaced, f"{replaced}s", replaced.upper(), f"({replaced})"):
            assert list(word.findings("src/a.py", f"before {written} after")), written
    assert list(word.findings("src/a.py", "before and after")) == []


def test_a_word_is_allowed_in_a_quoted_line_of_the_contract() -> None:
    word = Word(re.compile(r"\bgate\b", re.IGNORECASE), "limit")
    quotation = '@proves("decisions: The gate, "\n    "and the gate behind it.")\n'

    assert list(word.findings("tests/a.py", quotation + "gate = 1\n")) == ["tests/a.py:3: 'gate' (instead: limit)"]


def test_log_events_are_found_and_judged() -> None:
    module = Module("a.py", 'log.warning("the feed stumbled")\nlog.info("replica skipped: lag over limit", lag_s=1)\n')
    events = [event for _, event in log_events(module)]

    assert events == ["the feed stumbled", "replica skipped: lag over limit"]
    assert [wrong_log_event(event) for event in events] == ["begins with an article", None]
