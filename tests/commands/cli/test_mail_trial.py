"""`foreknow mail test ADDRESS`: one mail, and what the server says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.commands.cli.conftest import Ended, run_process
from tests.support.mailbox import mail_server, text_of

ANN = "ann@example.org"


def try_mail(folder: Path, smtp_url: str, address: str = ANN) -> Ended:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("FOREKNOW_")},
        "FOREKNOW_DATA_DIR": str(folder),
        "FOREKNOW_SITE_NAME": "The Club",
        "FOREKNOW_EMAIL_FROM": "club@example.org",
        "FOREKNOW_PUBLIC_URL": "https://club.example.org",
        **({"FOREKNOW_SMTP_URL": smtp_url} if smtp_url else {}),
    }
    return run_process("mail", "test", address, environment=environment)


def test_the_server_takes_a_mail_and_the_command_says_so(tmp_path: Path) -> None:
    with mail_server() as mailbox:
        ended = try_mail(tmp_path, f"smtp://127.0.0.1:{mailbox.port}")

    assert (ended.code, ended.err) == (0, "")
    assert ANN in ended.out
    (mail,) = mailbox.to(ANN)
    assert (mail["From"], mail["Subject"]) == ("The Club <club@example.org>", "Mails of The Club arrive")
    last = text_of(mail).rstrip().splitlines()[-1]
    assert last == "You get this mail because someone who runs The Club tries whether its mails arrive."


@pytest.mark.parametrize("address", ["unknown@example.org", "a,b@example.org", "none", ""])
def test_what_is_refused_is_one_line_and_exit_1(tmp_path: Path, address: str) -> None:
    with mail_server() as mailbox:
        mailbox.answer_recipient = lambda _: "550 5.1.1 no such user"
        ended = try_mail(tmp_path, f"smtp://127.0.0.1:{mailbox.port}", address)

    assert (ended.code, ended.out) == (1, "")
    assert len(ended.err.splitlines()) == 1
    assert address in ended.err
    assert mailbox.taken == []
    if address == "unknown@example.org":
        assert "550 5.1.1 no such user" in ended.err


def test_a_server_that_is_not_there_and_one_that_is_not_set(tmp_path: Path) -> None:
    gone = try_mail(tmp_path, "smtp://127.0.0.1:9")
    unset = try_mail(tmp_path, "")

    assert (gone.code, len(gone.err.splitlines())) == (1, 1)
    assert "did not take the mail" in gone.err
    assert unset.code == 2
    assert "FOREKNOW_SMTP_URL is not set" in unset.err
