"""The questions of `foreknow init`, asked at a terminal, and what it writes."""

from __future__ import annotations

import getpass
import os
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, SecretStr, ValidationError

from foreknow.commands.cli.again import again
from foreknow.commands.cli.database import check_folder, check_url, stored_settings, write
from foreknow.commands.cli.environment import (
    check_names,
    configuration,
    data_dir,
    describe,
    env_file,
    given_by,
    settings_of,
)
from foreknow.commands.cli.errors import CommandFailed, WrongUsage
from foreknow.commands.cli.user_commands import LOCAL_ORIGIN
from foreknow.commands.init import caddyfile
from foreknow.commands.init.env_file import EnvFile, EnvFileError, alone_in, write_env_file
from foreknow.commands.init.questions import QUESTIONS, Question
from foreknow.kernel.hosts import LOOPBACK
from foreknow.kernel.private_files import close_folder
from foreknow.kernel.setting_errors import explain_settings, variable_of, why_wrong
from foreknow.kernel.settings import Settings
from foreknow.kernel.site_settings import SITE_SETTINGS, as_texts, values_of
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.migrate import is_installed
from foreknow.platform.db.transactions import WriteTx
from foreknow.site.settings.service import change, note_start

#: Typed for a setting that there may be none of.
NONE = "none"
#: 96 random bits.
_PASSWORD_BYTES = 12
_PREFIX = "FOREKNOW_"
HTTP_PORT = 80
#: Where `serve` listens without an option.
SERVE_PORT = 8000


def set_up(options: Mapping[str, str], *, asks: bool) -> None:
    """Ask for what neither the environment nor `options` says, by field; write all of it into the data folder.

    `asks` False: defaults are the answers. `WrongUsage`, `CommandFailed`.
    """
    if asks and not sys.stdin.isatty():
        raise WrongUsage(
            "there is no terminal to ask at: say --yes, and give options for what differs from its defaults"
        )
    check_names(os.environ)
    folder = data_dir(os.environ)
    check_folder(folder)
    close_folder(folder)
    try:
        with alone_in(folder):
            _set_up(env_file(os.environ), options, asks=asks)
    except EnvFileError as failure:
        raise CommandFailed(str(failure)) from None


def _set_up(file: EnvFile, options: Mapping[str, str], *, asks: bool) -> None:
    in_file = {name.removeprefix(_PREFIX).lower(): entry.value for name, entry in file.entries.items()}
    given = given_by(os.environ)
    known = {name: text for name, text in (in_file | given).items() if name in Settings.model_fields}
    url = known.get("database_url") or Settings.model_construct(data_dir=file.path.parent).resolved_database_url
    check_url(url, named="FOREKNOW_DATABASE_URL")
    known = as_texts(stored_settings(url)) | known
    is_new = not any(question.field in in_file for question in QUESTIONS) and not is_installed(url)
    if in_file:
        _show_settings()
    interview = Interview(known, options, frozenset(given), is_new=is_new, asks=asks)
    interview.hold()
    _write(file, interview, is_first=not in_file)


class Interview:
    """The questions, and the answers so far."""

    def __init__(
        self,
        known: Mapping[str, str],
        options: Mapping[str, str],
        of_environment: frozenset[str],
        *,
        is_new: bool,
        asks: bool,
    ) -> None:
        """Begin with what is `known`, by field: of the file, and `of_environment`, which is not asked.

        `is_new`: nothing is known of the site, so defaults are those of a new one; else they are what holds.
        """
        self.answers = dict(known)
        #: The fields that have an answer now.
        self.answered: set[str] = set()
        #: A password that was made, not given.
        self.made_password = ""
        self._options = options
        self._of_environment = of_environment
        self._is_new = is_new
        self._asks = asks

    def hold(self) -> None:
        """Go through the questions until the answers fit together; `WrongUsage` where no one can be asked again."""
        while True:
            for question in QUESTIONS:
                self._answer(question)
            if self.answers.get("admin_email") and not self.answers.get("admin_password"):
                self.made_password = self.answers["admin_password"] = secrets.token_urlsafe(_PASSWORD_BYTES)
            domain = caddyfile.domain_of(self.answers.get("public_url", ""))
            if domain and not self.answers.get("trusted_proxies"):
                self.answers["trusted_proxies"] = caddyfile.PROXIES
                self.answered.add("trusted_proxies")
            self._choose_cookies()
            try:
                settings_of(self.answers)
            except ValidationError as failure:
                reason = explain_settings(failure, {})
                if not self._asks:
                    raise WrongUsage(reason) from None
                print(f"These answers do not fit together: {reason}. Once more:")
            else:
                return

    def _choose_cookies(self) -> None:
        """Let browsers keep a session over plain http, where the site's address says so; not over https."""
        url, marks = self.answers.get("public_url", ""), self.answers.get("cookie_secure", "")
        is_plain = url.lower().startswith("http://") and urlsplit(url).hostname not in LOOPBACK
        if is_plain and not marks:
            print(f"Others in the network can read passwords on their way to {url}; https:// keeps them secret.")
            self.answers["cookie_secure"] = "false"
        elif url.lower().startswith("https://") and "cookie_secure" not in self._of_environment:
            self.answers["cookie_secure"] = ""
        self.answered.add("cookie_secure")

    def _answer(self, question: Question) -> None:
        option = self._options.get(question.field)
        if option is not None and question.field not in self.answered:
            self._take_option(question, option)
        elif question.field in self._of_environment:
            print(f"{question.text}: as the environment says ({question.variable})")
        elif not question.is_asked(self.answers):
            return
        else:
            self.answers.setdefault(question.field, self._default(question))
            if self._asks:
                self._ask(question)
        self.answered.add(question.field)

    def _take_option(self, question: Question, text: str) -> None:
        try:
            self._read(question, text, is_option=True)
        except ValueError as failure:
            name = "admin-password-stdin" if question.is_secret else question.field.replace("_", "-")
            raise WrongUsage(f"--{name} is wrong: {failure}") from None

    def _ask(self, question: Question) -> None:
        """Ask until an answer is right; an empty one keeps what is there."""
        while True:
            text = _typed(question, self.answers)
            try:
                self._read(question, text)
            except ValueError as failure:
                print(f"  That is wrong: {failure}")
            else:
                return

    def _read(self, question: Question, text: str, *, is_option: bool = False) -> None:
        """Take an answer; `ValueError` says what is wrong with it, and leaves the one before."""
        before = self.answers.get(question.field, "")
        if question.may_lack and text.strip().lower() in ({NONE, ""} if is_option else {NONE}):
            self.answers[question.field] = ""
            return
        if text or is_option:
            reads = question.read_option if is_option else question.read
            self.answers[question.field] = reads(text, self.answers)
        reason = _why_wrong(question, self.answers)
        if reason:
            self.answers[question.field] = before
            raise ValueError(reason)

    def _default(self, question: Question) -> str:
        is_default = self._is_new or question.is_needed
        return question.default(self.answers) if is_default else _holds_without(question.field)


def _why_wrong(question: Question, answers: Mapping[str, str]) -> str:
    """Return what is wrong with the answer to a question, for people; "" where nothing is.

    What several answers together lack is not looked at.
    """
    text = answers[question.field]
    if not text:
        return "" if question.may_lack or not question.default(answers) else "it has at least one character"
    if not text.isprintable():
        return "it has a line break or another character that cannot be seen"
    try:
        settings_of(answers)
    except ValidationError as failure:
        wrong = (error for error in failure.errors() if error["loc"][:1] == (question.field,))
        return next(map(why_wrong, wrong), "")
    return ""


def _typed(question: Question, answers: Mapping[str, str]) -> str:
    """Return what a person types; a secret is not shown, and a new password is typed twice."""
    current = answers.get(question.field, "")
    shown = ("kept" if current else "") if question.is_secret else question.shown(current, answers)
    prompt = f"{question.text}{f' [{shown}]' if shown else ''}: "
    try:
        if not question.is_secret:
            return input(prompt)
        text = getpass.getpass(prompt)
        if text and question.field == "admin_password" and getpass.getpass("The same again: ") != text:
            print("  These were two different ones.")
            return _typed(question, answers)
    except EOFError:
        raise CommandFailed("the answers ended before the questions; nothing was written") from None
    return text


def _holds_without(name: str) -> str:
    """Return the text of a setting that is not set."""
    default = Settings.model_fields[name].default
    if isinstance(default, BaseModel):
        return default.model_dump_json()
    return default.get_secret_value() if isinstance(default, SecretStr) else str(default)


def _show_settings() -> None:
    """Print what is set, without secrets."""
    try:
        holding = configuration(os.environ)
        found = describe(holding, stored_settings(holding.settings.resolved_database_url))
    except WrongUsage as failure:
        print(f"Set now, but wrong: {failure}")
        return
    print("Set now:")
    for each in found:
        if each.source != "default":
            print(f"  {each.variable}  {each.value}  ({each.source})")


def _write(file: EnvFile, interview: Interview, *, is_first: bool) -> None:
    """Write the files, and say what to do next."""
    answers, folder = interview.answers, file.path.parent
    before = file.entries.get("FOREKNOW_PUBLIC_URL")
    wanted = {f"{_PREFIX}{name.upper()}": answers[name] for name in interview.answered if name in answers}
    order = [question.variable for question in QUESTIONS] + [
        f"{_PREFIX}{name}" for name in ("TRUSTED_PROXIES", "COOKIE_SECURE")
    ]
    after = file.changed({name: wanted[name] for name in order if name in wanted})
    write_env_file(_move_own(file, after, answers))
    print(f"Written: {file.path}, which only its owner may read. What the environment sets counts more.")
    domain = caddyfile.domain_of(answers.get("public_url", ""))
    if domain:
        _write_caddyfile(folder, domain, before=caddyfile.domain_of(before.value if before else ""))
    given = configuration(os.environ).settings
    print(f"{'Start it' if is_first else 'Restart what runs; start'}: {again(given)} serve{_reach(given)}")
    if interview.made_password:
        print(f"The password of {answers['admin_email']}, if that account is new: {interview.made_password}")
    if answers.get("admin_email"):
        print(f"Then sign in as {answers['admin_email']} at {given.public_origin or LOCAL_ORIGIN}/sign-in")


def _move_own(before: EnvFile, after: EnvFile, answers: Mapping[str, str]) -> EnvFile:
    """Move what the site sets by itself into its database; return the file without it.

    First the database has it: where this ends between both, the file counts, and the next run goes on.
    """
    named = given_by(os.environ)
    own = {field: variable_of(field) for field in SITE_SETTINGS if field not in named}
    moved = {field for field, variable in own.items() if variable in before.entries or variable in after.entries}
    kept = after.changed(dict.fromkeys(own.values(), ""))
    values = values_of(settings_of(answers))
    changes = {field: values[field] if answers.get(field) else None for field in moved}
    given = settings_of(_texts(kept))

    def work(tx: WriteTx) -> None:
        # The currency of the ledger, before it is the database's.
        note_start(tx, settings_of(_texts(before)))
        change(tx, given, changes, None, version=None, at_ms=now_ms(tx))

    if changes:
        write(given, work)
        print(f"In its database, where admins change it: {', '.join(sorted(changes))}.")
    return kept


def _texts(file: EnvFile) -> dict[str, str]:
    """Return what a file sets and the environment does not, by field."""
    given = given_by(os.environ)
    found = {name.removeprefix(_PREFIX).lower(): entry.value for name, entry in file.entries.items()}
    return {name: text for name, text in found.items() if name in Settings.model_fields and name not in given}


def _reach(given: Settings) -> str:
    """Return the options of `serve` by which it is reached at its own address, where no proxy is in front."""
    parts = urlsplit(given.public_origin)
    if parts.scheme != "http" or given.trusted_proxies:
        return ""
    is_everyones = parts.hostname not in LOOPBACK
    host = f" --host {'::' if ':' in (parts.hostname or '') else '0.0.0.0'}" if is_everyones else ""  # noqa: S104 - as asked
    port = parts.port or HTTP_PORT
    return host + (f" --port {port}" if port != SERVE_PORT else "")


def _write_caddyfile(folder: Path, domain: str, *, before: str) -> None:
    path = folder / caddyfile.NAME
    if not caddyfile.write_caddyfile(folder, domain, before=before):
        print(f"Left as it is, since it was changed by hand: {path}")
        return
    print(f"Written: {path}, a proxy that fetches the certificate of {domain}: caddy run --config {path}")
