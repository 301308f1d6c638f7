"""What mails say, in the languages of the web client. `{site}` is the site's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from foreknow.people.users.schemas import UserLanguage


@dataclass(frozen=True, slots=True, kw_only=True)
class MailText:
    """The sentences of one mail; `button` names its link, where it has one."""

    subject: str
    #: Above the lines; "" for none.
    title: str = ""
    lines: tuple[str, ...]
    button: str = ""
    #: Below the link.
    closing: tuple[str, ...] = ()
    #: Why its reader gets it: the last line.
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitationText:
    """What an invitation says. `{by}` is who invites; `{amount}` what its reader starts with."""

    subject: str
    #: Where who invited is no member any more.
    unsigned_subject: str
    about: str
    start: str
    creator: str
    account: str
    button: str
    closing: str
    reason: str
    #: Names the link that ends invitations.
    stop: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticesText:
    """What stands around notices. `{count}` is their number, `{more}` that of those that are not shown."""

    #: Of several; a single one is its mail's subject itself.
    subject: str
    #: Above several of a day: `{day}`.
    title: str
    more: str
    #: Names the link of a notice, and those of settings and of no more such mails.
    button: str
    settings: str
    stop: str
    reason: str
    #: Of a day's mail, of price alerts alone, and of what is followed alone.
    daily_reason: str
    alert_reason: str
    followed_reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MailTexts:
    """The mails in one language."""

    verify: MailText
    reset: MailText
    email_changed: MailText
    password_changed: MailText
    notices: NoticesText
    invitation: InvitationText
    test: MailText


TEXTS: Mapping[UserLanguage, MailTexts] = {
    "en": MailTexts(
        verify=MailText(
            subject="Verify your e-mail address",
            lines=("Please confirm that {address} is your address on {site}.",),
            button="Verify",
            closing=("The link works for 24 hours.", "If you did not ask for it, ignore this mail."),
            reason="You get this mail because someone, probably you, gave this address to {site}.",
        ),
        reset=MailText(
            subject="Set a new password",
            lines=("Someone, probably you, forgot the password of your account on {site}.",),
            button="Set a new password",
            closing=(
                "The link works for an hour.",
                "If it was not you, ignore this mail: your password stays as it is.",
            ),
            reason="You get this mail because a link to a new password was requested for this address on {site}.",
        ),
        email_changed=MailText(
            subject="Your e-mail address was changed",
            lines=(
                "Your account on {site} has another e-mail address now. This one is no longer used.",
                "If it was not you, write to the people who run {site} at once.",
            ),
            reason="You get this mail because this was the address of your account on {site}.",
        ),
        password_changed=MailText(
            subject="Your password was changed",
            lines=(
                "Your account on {site} has a new password. All other sessions have ended.",
                "If it was not you, set another password now: choose “Forgot password?” where you sign in.",
            ),
            reason="You get this mail because this is the address of your account on {site}.",
        ),
        notices=NoticesText(
            subject="{site}: {count} notifications",
            title="{site}, {day}",
            more="There are {more} more: see them on {site}.",
            button="Open",
            settings="Choose what you are mailed",
            stop="No more mails of this kind",
            reason="You get this mail because the settings of your account on {site} have such news mailed to you.",
            daily_reason="You get this mail because the settings of your account on {site} have such news mailed "
            "to you once a day.",
            alert_reason="You get this mail because you set a price alert on {site}.",
            followed_reason="You get this mail because you follow this on {site} and have such news mailed to you.",
        ),
        invitation=InvitationText(
            subject="{by} invites you to {site}",
            unsigned_subject="You are invited to {site}",
            about="On {site}, you say what you think will happen, and see how often you are right.",
            start="You start with {amount}.",
            creator="You may make markets of your own.",
            account="Make your account by this link. It also confirms that {address} is your address.",
            button="Accept the invitation",
            closing="The link is for this address alone. It works once, for 30 days.",
            reason="You get this mail because someone who runs {site} invites this address.",
            stop="No more invitations",
        ),
        test=MailText(
            subject="Mails of {site} arrive",
            lines=("This is a test: {site} can send mails to this address.",),
            reason="You get this mail because someone who runs {site} tries whether its mails arrive.",
        ),
    ),
    "ru": MailTexts(
        verify=MailText(
            subject="Подтвердите почту",
            lines=("Подтвердите, что {address} — ваш адрес на сайте {site}.",),
            button="Подтвердить",
            closing=("Ссылка действует 24 часа.", "Если вы её не запрашивали, ничего не делайте."),
            reason="Вы получили это письмо, потому что кто-то — вероятно, вы — указал этот адрес на сайте {site}.",
        ),
        reset=MailText(
            subject="Задайте новый пароль",
            lines=("Кто-то — вероятно, вы — забыл пароль к вашей учётной записи на сайте {site}.",),
            button="Задать новый пароль",
            closing=("Ссылка действует час.", "Если это были не вы, ничего не делайте: пароль останется прежним."),
            reason="Вы получили это письмо, потому что для этого адреса запросили новый пароль на сайте {site}.",
        ),
        email_changed=MailText(
            subject="Адрес почты изменён",
            lines=(
                "У вашей учётной записи на сайте {site} теперь другой адрес почты. Этот больше не используется.",
                "Если это были не вы, сразу напишите тем, кто ведёт {site}.",
            ),
            reason="Вы получили это письмо, потому что это был адрес вашей учётной записи на сайте {site}.",
        ),
        password_changed=MailText(
            subject="Пароль изменён",
            lines=(
                "У вашей учётной записи на сайте {site} новый пароль. Все остальные сеансы завершены.",
                "Если это были не вы, задайте другой пароль сейчас: «Забыли пароль?» на странице входа.",
            ),
            reason="Вы получили это письмо, потому что это адрес вашей учётной записи на сайте {site}.",
        ),
        notices=NoticesText(
            subject="{site}: уведомлений — {count}",
            title="{site}, {day}",
            more="Есть и другие, ещё {more}: смотрите их на сайте {site}.",
            button="Открыть",
            settings="Выбрать, о чём вам писать",
            stop="Больше не присылать таких писем",
            reason="Вы получили это письмо, потому что так выбрано в настройках вашей учётной записи на сайте {site}.",
            daily_reason="Вы получили это письмо, потому что в настройках вашей учётной записи на сайте {site} выбрано "
            "одно письмо в день.",
            alert_reason="Вы получили это письмо, потому что установили оповещение о вероятности на сайте {site}.",
            followed_reason="Вы получили это письмо, потому что следите за этим на сайте {site} и выбрали "
            "такие письма.",
        ),
        invitation=InvitationText(
            subject="{by} приглашает вас на сайт {site}",
            unsigned_subject="Вас приглашают на сайт {site}",
            about="На сайте {site} вы говорите, что, по-вашему, случится, и узнаёте, как часто вы правы.",
            start="У вас сразу будет {amount}.",
            creator="Вы сможете заводить свои рынки.",
            account="Создайте учётную запись по этой ссылке. Она же подтвердит, что {address} — ваш адрес.",
            button="Принять приглашение",
            closing="Ссылка только для этого адреса. Она сработает один раз, в течение 30 дней.",
            reason="Вы получили это письмо, потому что те, кто ведёт {site}, приглашают этот адрес.",
            stop="Больше не присылать приглашений",
        ),
        test=MailText(
            subject="Письма сайта {site} доходят",
            lines=("Это проверка: {site} может отправлять письма на этот адрес.",),
            reason="Вы получили это письмо, потому что те, кто ведёт {site}, проверяют, доходят ли письма.",
        ),
    ),
}
