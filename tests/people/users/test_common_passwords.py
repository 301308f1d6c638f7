"""The commonest passwords: refused wherever one is chosen, and nowhere else."""

from __future__ import annotations

import subprocess
import sys

import pytest
from pydantic import SecretStr

from foreknow.kernel.errors import BadRequest
from foreknow.kernel.settings import Settings
from foreknow.people.users import ensure_first_admin, store
from foreknow.people.users.accounts import NewPerson, create_user
from foreknow.people.users.passwords import hasher
from foreknow.people.users.profiles import COMMON_PASSWORDS, _common_passwords, is_common, read_password
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from tests.support.forks import FOREKNOW
from tests.support.kinds import ONCE
from tests.support.service import PASSWORD, Service, refused

NOW_MS = 1_800_000_000_000


def test_it_holds_ten_thousand_that_are_long_enough() -> None:
    assert len(_common_passwords()) == COMMON_PASSWORDS
    assert min(len(text) for text in _common_passwords()) >= 8


@pytest.mark.parametrize("password", ["12345678", "password1", "PassWord1", "QWERTYUIOP", "iloveyou", "paſſword"])
def test_the_commonest_are_refused_in_any_case(password: str) -> None:
    assert is_common(password)
    with pytest.raises(BadRequest) as error:
        read_password(password)
    assert error.value.details["fields"].keys() == {"password"}


@pytest.mark.parametrize("password", [PASSWORD, "correct horse", "password1 and more", "Ненадёжный", "k7#vQ!x2"])
def test_others_are_not(password: str) -> None:
    assert read_password(password) == password


def test_nothing_is_read_before_a_password_is_chosen() -> None:
    look = "import sys, foreknow.service.app; print(sorted(name for name in sys.modules if 'zxcvbn' in name))"
    said = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)

    assert said.stdout.strip() == "[]"


@ONCE
def test_a_sign_up_says_which_field_to_correct(service: Service) -> None:
    body = {"email": "common@example.org", "password": "Password123", "name": "Ann"}
    error = refused(service.client().post("/auth/sign-up", json=body), 400, "bad_request")

    assert error["details"]["fields"].keys() == {"password"}
    assert "commonest" in error["details"]["fields"]["password"]


def test_who_has_one_from_before_still_signs_in(service: Service) -> None:
    person = service.user()
    old = hasher("low").hash("password1")
    service.server.run(service.app.db.write(lambda tx: store.update_person(tx, person.id, {"password_hash": old})))

    assert service.sign_in(person.email, "password1")


@ONCE
async def test_the_first_admins_is_refused_by_the_settings_name(db: Database) -> None:
    settings = Settings(
        admin_email="root@example.org", admin_password=SecretStr("Password1"), admin_name="Root", password_cost="low"
    )
    with pytest.raises(BadRequest, match=r"^FOREKNOW_ADMIN_PASSWORD must not be one of the 10,000 commonest"):
        await db.write(lambda tx: ensure_first_admin(tx, settings, at_ms=NOW_MS))
    without_email = settings.model_copy(update={"admin_email": "root"})
    with pytest.raises(BadRequest, match=r"^FOREKNOW_ADMIN_EMAIL must be an e-mail address"):
        await db.write(lambda tx: ensure_first_admin(tx, without_email, at_ms=NOW_MS))

    def from_before(tx: WriteTx) -> None:
        person = NewPerson(email="root@example.org", password="Password1", name="Root", nickname="")
        create_user(tx, person, password_hash=hasher("low").hash("Password1"), at_ms=NOW_MS)

    await db.write(from_before)
    assert await db.write(lambda tx: ensure_first_admin(tx, settings, at_ms=NOW_MS)) is None


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("arguments", [["serve", "--port", "0"], ["demo", "--port", "0"]])
def test_a_server_with_such_an_admin_says_so_and_does_not_start(database_url: str, arguments: list[str]) -> None:
    environment = {
        "FOREKNOW_DATABASE_URL": database_url,
        "FOREKNOW_ADMIN_EMAIL": "root@example.org",
        "FOREKNOW_ADMIN_PASSWORD": "Password1",
        "FOREKNOW_LOG_FORMAT": "json",
    }
    ended = subprocess.run(
        [FOREKNOW, *arguments], env=environment, capture_output=True, text=True, timeout=60, check=False
    )

    assert ended.returncode == 2
    assert ended.stderr.startswith("foreknow: FOREKNOW_ADMIN_PASSWORD must not be one of the 10,000 commonest")
    assert ended.stderr.count("\n") == 1
    said = ended.stdout + ended.stderr
    assert "Traceback" not in said
    assert "Password1" not in said
