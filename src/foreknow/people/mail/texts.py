"""What mails say, in the languages of the web client. `{site}` is the site's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from foreknow.people.users.schemas import UserLanguage


@dataclass(frozen=True, slots=True, kw_only=True)
class MailText:
    """The sentences of one mail; `button` names its link, where it has one."""

    subject: str
    lines: tuple[str, ...]
    button: str = ""
    #: Below the link.
    closing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MailTexts:
    """The mails in one language."""

    verify: MailText
    reset: MailText
    email_changed: MailText
    password_changed: MailText
    test: MailText


TEXTS: Mapping[UserLanguage, MailTexts] = {
    "en": MailTexts(
        verify=MailText(
            subject="Verify your e-mail address",
            lines=("Please confirm that {address} is your address on {site}.",),
            button="Verify",
            closing=("The link works for 24 hours.", "If you did not ask for it, ignore this mail."),
        ),
        reset=MailText(
            subject="Set a new password",
            lines=("Someone, probably you, forgot the password of your account on {site}.",),
            button="Set a new password",
            closing=(
                "The link works for an hour.",
                "If it was not you, ignore this mail: your password stays as it is.",
            ),
        ),
        email_changed=MailText(
            subject="Your e-mail address was changed",
            lines=(
                "Your account on {site} has another e-mail address now. This one is no longer used.",
                "If it was not you, write to the people who run {site} at once.",
            ),
        ),
        password_changed=MailText(
            subject="Your password was changed",
            lines=(
                "Your account on {site} has a new password. All other sessions have ended.",
                "If it was not you, set another password now: choose “Forgot password?” where you sign in.",
            ),
        ),
        test=MailText(
            subject="Mails of {site} arrive",
            lines=("This is a test: {site} can send mails to this address.",),
        ),
    ),
    "ru": MailTexts(
        verify=MailText(
            subject="Подтвердите почту",
            lines=("Подтвердите, что {address} — ваш адрес на сайте {site}.",),
            button="Подтвердить",
            closing=("Ссылка действует 24 часа.", "Если вы её не запрашивали, ничего не делайте."),
        ),
        reset=MailText(
            subject="Задайте новый пароль",
            lines=("Кто-то — вероятно, вы — забыл пароль к вашей учётной записи на сайте {site}.",),
            button="Задать новый пароль",
            closing=("Ссылка действует час.", "Если это были не вы, ничего не делайте: пароль останется прежним."),
        ),
        email_changed=MailText(
            subject="Адрес почты изменён",
            lines=(
                "У вашей учётной записи на сайте {site} теперь другой адрес почты. Этот больше не используется.",
                "Если это были не вы, сразу напишите тем, кто ведёт {site}.",
            ),
        ),
        password_changed=MailText(
            subject="Пароль изменён",
            lines=(
                "У вашей учётной записи на сайте {site} новый пароль. Все остальные сеансы завершены.",
                "Если это были не вы, задайте другой пароль сейчас: «Забыли пароль?» на странице входа.",
            ),
        ),
        test=MailText(
            subject="Письма сайта {site} доходят",
            lines=("Это проверка: {site} может отправлять письма на этот адрес.",),
        ),
    ),
}
