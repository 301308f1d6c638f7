"""`foreknow invite`: links with which people make accounts."""

from __future__ import annotations

import json

from tests.commands.cli.conftest import Command


def test_an_invitation_is_made_listed_and_withdrawn(command: Command) -> None:
    made = command("invite", "add", "--uses", "30", "--days", "7", "--credit", "500", "--creator", "--note", "Class 9b")
    assert made.code == 0, made
    assert made.lines[-1].startswith("http://127.0.0.1:8000/invite/")
    one = json.loads(command("invite", "add", "--json").out)
    assert one.keys() == {"id", "url"}

    def listed() -> list[dict[str, object]]:
        return list(json.loads(command("invite", "list", "--json").out)["invitations"])

    newest, first = listed()
    assert (newest["id"], newest["uses"], newest["expires_at"]) == (one["id"], 1, None)
    assert [first[name] for name in ("uses", "used", "credit_kopecks", "creator", "note")] == [
        30,
        0,
        500,
        True,
        "Class 9b",
    ]
    for _ in range(2):
        withdrawn = command("invite", "withdraw", str(one["id"]), "--json")
        assert json.loads(withdrawn.out)["invitations"] == [listed()[0]]
    assert listed()[0]["withdrawn_at"] is not None
    assert command("invite", "withdraw", "99").code == 1
    for wrong, code in (("--uses=0", 1), ("--credit=-1", 1), ("--days=0", 2), ("--days=3651", 2)):
        ended = command("invite", "add", wrong)
        assert (ended.code, len(ended.err.splitlines())) == (code, 1), ended
