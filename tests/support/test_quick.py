"""What `bin/test --quick` chooses."""

from __future__ import annotations

import pytest

from tests.support.budgets import budgets_s
from tests.support.quick import CONTRACT, NoSuchPackage, changed_packages, choose, main


def test_the_packages_own_tests_come_first_then_the_contracts_then_its_importers() -> None:
    chosen, left = choose(["trading/desk"], limit_s=1_000_000)

    assert chosen[:2] == ["trading/desk", CONTRACT]
    assert {"trading/limit_orders", "site/feed"} <= set(chosen)
    assert left == []


def test_what_does_not_fit_is_left_but_never_the_packages_own_tests() -> None:
    chosen, left = choose(["money/ledger"], limit_s=0)

    assert chosen == ["money/ledger"]
    assert {CONTRACT, "trading/settlement"} <= set(left)


def test_files_of_the_checkout_lead_to_packages() -> None:
    files = ["src/foreknow/trading/desk/batch.py", "tests/people/mail/test_wave.py", "src/foreknow/kernel/clock.py"]

    assert list(changed_packages([*files, "docs/mail.md"])) == ["trading/desk", "people/mail", "kernel"]


def test_a_package_is_named_by_its_folder_or_its_tests(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("money/ledger", "src/foreknow/money/ledger/", "tests/money/ledger"):
        main([name, "-k", "keys"])
        said = capsys.readouterr()
        assert said.out.splitlines()[:5] == ["-m", "not postgres and not slow", "-k", "keys", "tests/money/ledger"]
        assert said.err.startswith("Tests of money/ledger, contract")
    with pytest.raises(NoSuchPackage, match="nothing"):
        main(["nothing"])


def test_a_layer_is_all_of_its_packages() -> None:
    own = {folder for folder in budgets_s() if folder.startswith("money/")}

    assert own <= set(choose(["money"], limit_s=0)[0])
