"""Mails of results: what was decided and why, what one's shares will be paid, until when one may object, the answer."""

from __future__ import annotations

from foreknow.kernel.clock import MINUTE_MS
from tests.contract.mailed_site import ORIGIN, VERIFY, verify
from tests.contract.mailed_site import _later as _later  # noqa: PLC0414 - a fixture
from tests.contract.mailed_site import mailbox as mailbox  # noqa: PLC0414 - a fixture
from tests.contract.mailed_site import site as site  # noqa: PLC0414 - a fixture
from tests.support.disputes import asked, confirm, leap, object_to, resolution, resolve
from tests.support.mailbox import Mailbox, link_of, text_of
from tests.support.orders import bet
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect

#: Notices that are wanted now are one mail in that time.
TOGETHER_MS = 16 * MINUTE_MS
KINDS = ("verdict_held", "rules_clarified")


def verified(site: Service, mailbox: Mailbox, person: Person) -> Person:
    """Return a person whose address is verified."""
    expect(verify(site, link_of(mailbox.wait(person.email), VERIFY)), 200)
    return person


def reader(site: Service, mailbox: Mailbox, language: str) -> Person:
    """Return a person with money who wants all that is said of results by mail, now."""
    person = verified(site, mailbox, site.user(balance_kopecks=5_000))
    expect(person.client.patch("/users/me", json={"language": language}), 200)
    wanted = {kind: {"app": True, "email": "now"} for kind in KINDS}
    expect(person.client.put("/users/me/notification-settings", json=wanted), 200)
    return person


@proves(
    "results: (`params.result, payouts, payout_kopecks` (what their shares will be paid), `disputable_until`; mail "
    "`now`), `verdict_held` (once a verdict, `params.held_until`); to who objected `objection_answered` "
    "(`params.state`, not at `lapsed`; mail `now`);"
)
def test_mails_say_what_a_reader_is_to_know_of_a_result(site: Service, mailbox: Mailbox) -> None:
    ann, boris = (reader(site, mailbox, language) for language in ("en", "ru"))
    creator = verified(site, mailbox, site.user(creator=True))
    made = asked(site, creator, name="Reds win?", name_ru="Победят красные?")
    link = f"{ORIGIN}/events/{made['event_id']}"
    for person, side in ((ann, "YES"), (boris, "NO")):
        expect(bet(person, made["markets"][0]["id"], side, 2_000), 201)
    counts = {ann.email: 1, boris.email: 1}

    def read(person: Person) -> tuple[str, str]:
        """Return the subject and the text of the next mail, after the time in which there is one alone."""
        counts[person.email] += 1
        mail = mailbox.wait(person.email, counts[person.email])
        text = text_of(mail)
        assert link in text
        assert f'href="{link}"' in text_of(mail, "html")
        return mail["Subject"], text

    expect(creator.client.post(f"/pools/{made['id']}/clarifications", json={"text": "Overtime counts."}), 201)
    assert "made clearer" in read(ann)[0]
    assert "Уточнены правила вопроса «Победят красные?»" in read(boris)[0]

    leap(site, site.clock() + TOGETHER_MS, ann, boris, creator)
    reasons = {"note": "The table says so.", "note_ru": "Так в таблице."}
    until = resolve(creator.client, made["id"], won_side=1, **reasons)["disputable_until"]
    shown_until = f"{until[:16].replace('T', ' ')} UTC"
    (position,) = expect(boris.client.get("/users/me/positions", params={"state": "open"}), 200)["positions"]
    subject, text = read(ann)
    assert "“Reds win?”" in subject
    assert "is decided: NO. Your shares will be paid ₽0.00; you can object until" in text.replace("\n", " ")
    assert shown_until in text
    assert "Reason: The table says so." in text
    subject, text = read(boris)
    assert "«Победят красные?»" in subject
    amount = f"{position['decided_kopecks'] // 100},{position['decided_kopecks'] % 100:02}"
    assert f"итог — НЕТ. По вашим долям будет выплачено {amount}" in text.replace("\n", " ").replace("\u00a0", " ")
    assert shown_until in text
    assert "Причина: Так в таблице." in text

    leap(site, site.clock() + TOGETHER_MS, ann, boris, creator)
    said = expect(object_to(ann, made["id"]), 201)
    held = resolution(site, made["id"])["held_until"]
    assert f"until {held[:10]}" in read(ann)[1].replace("\n", " ")
    assert f"до {held[:10]}" in read(boris)[1].replace("\n", " ")

    leap(site, site.clock() + TOGETHER_MS, ann, boris, creator)
    expect(confirm(site.admin, made["id"], seen=said["id"], note="It was played out."), 200)
    subject, text = read(ann)
    assert subject.startswith("Your objection to the result of “Reds win?”")
    assert "rejected: the result stays." in text.replace("\n", " ")
    assert "Answer: It was played out." in text
