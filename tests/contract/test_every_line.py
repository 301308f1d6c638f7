"""Every line of the contract's pages is named by a test (`just unproven`), and the search for it is exact."""

from __future__ import annotations

import pytest

from tests.contract.proved_often import proved_often
from tests.contract.unproven import Page, complaints, named_in
from tests.support.modules import Module

MARKDOWN = """# A heading says nothing

| Topic | Decision |
|---|---|
| Statuses | 404 for none; 409 for two. |

Limits:

- A row has one cell; a cell has
- one row.

## More (to come)

- A cell has two rows.
"""


def test_every_line_of_the_contract_is_named_by_a_test() -> None:
    assert complaints() == []


@pytest.mark.parametrize(
    ("named", "left"),
    [
        ([], [(5, "«404 for none; 409 for two. |»"), (9, "- «A row has one cell; a cell has»"), (10, "- «one row.»")]),
        (["404 for none; 409 for two.", "- A row has one cell; a cell has - one row."], []),
        (["404 for none", "A row has one cell; a cell has", "one row."], [(5, "404 for none; «409 for two. |»")]),
        (["404 for none; 409 for", "a cell has - one row."], [(5, "…«two. |»"), (9, "- «A row has one cell;»…")]),
    ],
)
def test_what_no_test_names_is_listed(named: list[str], left: list[tuple[int, str]]) -> None:
    page = Page.of(MARKDOWN)
    assert [page.name(text) for text in named] == [None] * len(named)
    for (number, line), (wanted_number, wanted) in zip(page.left(), left, strict=True):
        assert number == wanted_number
        assert wanted.strip("…") in line


def test_what_stands_above_the_contract_of_a_topics_page_promises_nothing() -> None:
    page = Page.of(f"How to use it.\n\n## The contract\n\n{MARKDOWN}")
    assert page.name("How to use it.") == "does not stand in the page"
    assert [number for number, _ in page.left()] == [9, 13, 14]


def test_a_name_must_stand_in_the_page_word_for_word() -> None:
    page = Page.of(MARKDOWN)
    assert page.name("404 for no one") == "does not stand in the page"
    assert page.name("A heading says nothing") == "does not stand in the page"
    assert page.name("A cell has two rows.") == "does not stand in the page"
    assert page.name("row") == "stands in 2 places and is no whole statement in each"


def test_what_several_tests_prove_is_listed_with_its_cost() -> None:
    errors = "tests/contract/test_errors.py"
    slash = f"{errors}::test_a_trailing_slash_is_another_address"
    path, route = (f"tests/contract/{name}" for name in ("test_paths_and_queries.py", "test_errors.py"))
    letter, unknown = f"{path}::test_a_path_is_matched_to_the_letter", f"{route}::test_an_unknown_route_is_not_found"
    times = {slash: 9.0, letter: 1.0, f"{unknown}[sqlite-/pools]": 2.0, f"{unknown}[postgres-/pools]": 3.0}
    (found,) = proved_often(times)
    assert found.text == "`not_found` (no such route, or row without a code of its own)"
    assert found.costs_s == {letter: 1.0, unknown: 5.0}
    assert found.spare_s == 5.0


def test_a_name_counts_on_tests_only_and_in_words_that_can_be_read() -> None:
    def file(text: str) -> Module:
        return Module("tests/test_it.py", text)

    read = file('A = "interface: a"\nB = (A, "decisions: b  c")\n@proves(*B, "decisions: d")\ndef test_it(): ...\n')
    assert [(one.page, one.text) for one in named_in(read)] == [
        ("interface", "a"),
        ("decisions", "b c"),
        ("decisions", "d"),
    ]
    for wrong in (
        '@proves("decisions: a")\ndef helper(): ...\n',
        "@proves(LINE)\ndef test_it(): ...\n",
        '@proves("decisions: a")\n@pytest.mark.skip\ndef test_it(): ...\n',
    ):
        with pytest.raises(ValueError, match=r"test_it\.py:\d"):
            list(named_in(file(wrong)))
