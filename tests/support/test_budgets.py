"""Budgets of CPU time by folder."""

from __future__ import annotations

from tests.support.budgets import TESTS, budgets_s, folder_of, table


def test_each_folder_with_tests_has_a_budget_and_no_other() -> None:
    folders = {path.parent.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")}

    assert set(budgets_s()) == folders


def test_a_folder_over_its_budget_is_named_on_a_machine_of_any_speed() -> None:
    slow = table({"dear": 22.0, "cheap": 8.0, "new": 2.0}, {"dear": 10, "cheap": 5}, reference_s=2.0)
    quick = table({"dear": 4.0}, {"dear": 10}, reference_s=0.5)

    assert [line.split() for line in slow] == [
        ["11.0", "of", "10", "dear", "OVER"],
        ["4.0", "of", "5", "cheap"],
        ["1.0", "of", "0", "new", "no", "budget"],
    ]
    assert [line.split() for line in quick] == [["8.0", "of", "10", "dear"]]


def test_the_folder_of_a_test_is_the_one_that_its_file_is_in() -> None:
    assert folder_of("tests/trading/desk/test_desk.py::test_a[b/c::d]") == "trading/desk"
    assert folder_of("tests/contract/test_mail.py::test_a") == "contract"
