"""One function for each endpoint, which makes the call that a client sends, and the methods of both clients.

Written by `just client` from docs/openapi.json.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

# A method bears the name of its function, which it reaches through this module.
from foreknow_client import endpoints, models
from foreknow_client.calls import Call, PageCall, RedirectCall, StreamCall, StreamEvent, path, values_given
from foreknow_client.methods import (
    async_items,
    async_method,
    async_stream,
    sync_items,
    sync_method,
    sync_stream,
)


def get_health() -> Call[models.Health]:
    """Whether the service is up.

    **Who:** Public: credentials are not looked at.
    """
    return Call("get_health", "GET", "/health", models.Health)


def get_readiness() -> Call[models.Ready]:
    """Whether the database answers and takes writes.

    **Who:** Public: credentials are not looked at.

    Errors: `internal_error`, `unavailable`.
    """
    return Call("get_readiness", "GET", "/ready", models.Ready)


def get_site() -> Call[models.Site]:
    """What this site is called and offers.

    **Who:** Public: credentials are not looked at.

    Errors: `rate_limited`.
    """
    return Call("get_site", "GET", "/site", models.Site)


def get_site_text(
    name: Literal["about", "rules", "terms", "privacy"], *, lang: models.Lang | None = None, version: str | None = None
) -> Call[models.SiteText]:
    """A page of the site's own: about, rules, terms or privacy.

    **Who:** Public: credentials are not looked at.

    Errors: `bad_request`, `not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "get_site_text",
        "GET",
        path("/site/pages/{name}", name=name),
        models.SiteText,
        query=values_given({"lang": lang, "version": version}),
    )


def sign_up(
    *,
    email: str,
    password: str,
    name: str,
    nickname: str | None = None,
    invitation: str | None = None,
    terms: str | None = None,
) -> Call[models.SignedIn]:
    """Make an account.

    Sets the cookies `access_token`, `refresh_token` and the readable `session_until` (Unix seconds of the
    access token's end), as sign-in and refresh do, and `device`, as sign-in does. One of the commonest 10,000
    passwords is 400 `bad_request`. What the site asks of newcomers, GET /site says. Mails are in the language
    that Accept-Language prefers, until it is changed.

    **Who:** Public: credentials are not looked at.

    Errors: `bad_request`, `password_off`, `sign_up_closed`, `domain_not_allowed`, `invitation_required`,
    `invitation_used`, `terms_required`, `email_taken`, `nickname_taken`, `payload_too_large`,
    `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "sign_up",
        "POST",
        "/auth/sign-up",
        models.SignedIn,
        body=values_given(
            {
                "email": email,
                "password": password,
                "name": name,
                "nickname": nickname,
                "invitation": invitation,
                "terms": terms,
            }
        ),
    )


def create_first_admin(
    *, token: str, email: str, password: str, name: str, nickname: str | None = None
) -> Call[models.SignedIn]:
    """Make the first admin of a new site.

    With the link that the server prints at its start while there was never an admin. It answers as a sign-up
    does, whatever the site asks of newcomers; nothing is granted.

    **Who:** Public: credentials are not looked at.

    Errors: `bad_request`, `invalid_token`, `invalid_state`, `email_taken`, `nickname_taken`,
    `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "create_first_admin",
        "POST",
        "/auth/setup",
        models.SignedIn,
        body=values_given({"token": token, "email": email, "password": password, "name": name, "nickname": nickname}),
    )


def sign_in(*, login: str, password: str) -> Call[models.SignedIn]:
    """Sign in with e-mail address or nickname.

    After 10 failures a minute on one account its sign-in is closed: see Retry-After. A browser that signed in
    to it before, by its cookie `device`, has 10 of its own. After 300 failures a minute from one address
    sign-in is closed to the address.

    **Who:** Public: credentials are not looked at.

    Errors: `bad_request`, `invalid_credentials`, `payload_too_large`, `unsupported_media_type`,
    `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "sign_in", "POST", "/auth/sign-in", models.SignedIn, body=values_given({"login": login, "password": password})
    )


def refresh_session() -> Call[models.SignedIn]:
    """Get a new access token.

    Reads the cookie `refresh_token` and replaces the cookies. For 10 more seconds the token replaced gets the
    same successor; after that it ends the session. 72 hours after sign-in a session is over, however often it
    was refreshed. A 401 clears the session's cookies where any was sent.

    **Who:** Public: credentials are not looked at.

    Errors: `unauthorized`, `cross_site`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("refresh_session", "POST", "/auth/refresh", models.SignedIn)


def sign_out() -> Call[None]:
    """End the session.

    Both tokens are refused from now on, and the cookies are cleared.

    **Who:** Signed in.

    Errors: `unauthorized`, `cross_site`, `forbidden`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("sign_out", "DELETE", "/auth/logout", type(None))


def get_me() -> Call[models.User]:
    """Your account.

    **Who:** Signed in.

    Errors: `unauthorized`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("get_me", "GET", "/users/me", models.User)


def update_me(
    *,
    name: str | None = None,
    nickname: str | None = None,
    avatar_url: str | None = None,
    profile_hidden: bool | None = None,
    language: models.Lang | None = None,
    time_zone: str | None = None,
    show_holds: bool | None = None,
    show_forecast: bool | None = None,
) -> Call[models.User]:
    """Change your profile.

    Who is muted keeps name, nickname and avatar, and may change the rest.

    **Who:** Signed in.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `muted`, `nickname_taken`,
    `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "update_me",
        "PATCH",
        "/users/me",
        models.User,
        body=values_given(
            {
                "name": name,
                "nickname": nickname,
                "avatar_url": avatar_url,
                "profile_hidden": profile_hidden,
                "language": language,
                "time_zone": time_zone,
                "show_holds": show_holds,
                "show_forecast": show_forecast,
            }
        ),
    )


def change_password(*, old: str, new: str) -> Call[None]:
    """Change your password.

    Your other sessions and all your API keys end. A wrong old password counts as a failed sign-in. Who signs
    in through a provider only sends "" for it, within ten minutes of signing in.

    **Who:** Signed in.

    Errors: `bad_request`, `unauthorized`, `invalid_credentials`, `cross_site`, `forbidden`, `password_off`,
    `sign_in_again`, `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call("change_password", "PUT", "/users/me/password", type(None), body=values_given({"old": old, "new": new}))


def reset_password(*, token: str, password: str) -> Call[None]:
    """Set a new password with a reset link.

    The token is the last part of the link that an admin made, or of a mailed one. All sessions and API keys
    end, failed sign-ins are forgotten, and the cookie `device` is set as by a sign-in.

    **Who:** Public: credentials are not looked at.

    Errors: `bad_request`, `invalid_token`, `password_off`, `payload_too_large`, `unsupported_media_type`,
    `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "reset_password", "POST", "/auth/reset", type(None), body=values_given({"token": token, "password": password})
    )


def change_email(*, email: str, password: str) -> Call[None]:
    """Change your e-mail address.

    A link is mailed to the new one, which takes the old one's place once it is verified; of several, the
    newest. A wrong password counts as a failed sign-in. Who signs in through a provider only sends "" for it,
    within ten minutes of signing in. An address gets one such mail a minute and 5 a day.

    **Who:** Signed in.

    Errors: `bad_request`, `unauthorized`, `invalid_credentials`, `cross_site`, `forbidden`,
    `domain_not_allowed`, `no_email`, `email_taken`, `sign_in_again`, `payload_too_large`,
    `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "change_email", "PUT", "/users/me/email", type(None), body=values_given({"email": email, "password": password})
    )


def send_verification() -> Call[None]:
    """Send the link that verifies your e-mail address again.

    To the new address, where one waits. A verified one needs none: then nothing is sent.

    **Who:** Signed in.

    Errors: `unauthorized`, `cross_site`, `forbidden`, `no_email`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call("send_verification", "POST", "/users/me/email/verify", type(None))


def confirm_email(*, token: str) -> Call[None]:
    """Verify an e-mail address by a mailed link.

    The token is the last part of the link, which works for 24 hours, more than once.

    **Who:** Public: credentials are not looked at.

    Errors: `bad_request`, `invalid_token`, `no_email`, `email_taken`, `payload_too_large`,
    `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("confirm_email", "POST", "/auth/verify", type(None), body=values_given({"token": token}))


def request_reset(*, email: str) -> Call[None]:
    """Request a link that sets a new password.

    It is mailed to the address if an account has it, and works for an hour; the answer is the same if none
    has.

    **Who:** Public: credentials are not looked at.

    Errors: `bad_request`, `password_off`, `no_email`, `payload_too_large`, `unsupported_media_type`,
    `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("request_reset", "POST", "/auth/forgot", type(None), body=values_given({"email": email}))


def list_my_sessions(
    *, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.SessionPage, models.Session]:
    """Where you are signed in, newest first.

    **Who:** Signed in.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `forbidden`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_my_sessions",
        "GET",
        "/users/me/sessions",
        models.SessionPage,
        items=lambda page: page.sessions,
        query=values_given({"limit": limit, "cursor": cursor}),
    )


def end_my_sessions() -> Call[None]:
    """End all other sessions.

    The one that asks goes on.

    **Who:** Signed in.

    Errors: `unauthorized`, `cross_site`, `forbidden`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("end_my_sessions", "DELETE", "/users/me/sessions", type(None))


def end_my_session(session_id: int) -> Call[None]:
    """End a session of yours.

    The one that asks too: then the cookies are cleared, as when signing out.

    **Who:** Signed in.

    Errors: `invalid_session_id`, `unauthorized`, `cross_site`, `forbidden`, `session_not_found`,
    `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("end_my_session", "DELETE", path("/users/me/sessions/{session_id}", session_id=session_id), type(None))


def create_my_key(*, name: str, scope: models.Scope) -> Call[models.NewOwnKey]:
    """Make an API key.

    The key is shown in this answer and never again. Send it as a Bearer token. It acts as you without your
    roles: `read` on what only reads, `trade` on bets and sales, too; on nothing of your account. It ends when
    you delete it, when your account is deactivated and when you set a new password, not when you sign out.

    **Who:** Signed in.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`, `too_many_keys`,
    `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "create_my_key", "POST", "/users/me/keys", models.NewOwnKey, body=values_given({"name": name, "scope": scope})
    )


def list_my_keys() -> Call[models.OwnKeys]:
    """Your live API keys.

    **Who:** Signed in.

    Errors: `unauthorized`, `forbidden`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("list_my_keys", "GET", "/users/me/keys", models.OwnKeys)


def revoke_my_key(key_id: int) -> Call[None]:
    """Delete an API key.

    **Who:** Signed in.

    Errors: `invalid_key_id`, `unauthorized`, `cross_site`, `forbidden`, `key_not_found`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return Call("revoke_my_key", "DELETE", path("/users/me/keys/{key_id}", key_id=key_id), type(None))


def get_my_data() -> Call[models.OwnData]:
    """Take all that is kept of you, as one file.

    JSON without passwords, keys and other secrets. Once an hour.

    **Who:** Signed in.

    Errors: `unauthorized`, `forbidden`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("get_my_data", "GET", "/users/me/export", models.OwnData)


def delete_my_account(*, password: str) -> Call[None]:
    """Delete your account, for ever.

    Your sessions, API keys, sign-ins through providers and drafts end. Your e-mail address, names and picture
    go, and so do the texts of your comments and of your support chat. Events and trades stay, of a "Deleted
    trader". Your balance goes to the house, and so does what your open positions are paid later. Refused
    while an event of yours is active or closed, while a series of yours runs, and to the last admin. A wrong
    password counts as a failed sign-in. Who signs in through a provider only sends "" for it, within ten
    minutes of signing in.

    **Who:** Signed in.

    Errors: `bad_request`, `unauthorized`, `invalid_credentials`, `cross_site`, `forbidden`, `sign_in_again`,
    `invalid_state`, `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call("delete_my_account", "POST", "/users/me/delete", type(None), body=values_given({"password": password}))


def delete_user(user_id: int) -> Call[None]:
    """Delete a user's account, for ever.

    As users do it themselves, without their password. A deleted account is 404.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `invalid_user_id`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `user_not_found`, `invalid_state`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("delete_user", "POST", path("/admin/users/{user_id}/delete", user_id=user_id), type(None))


def start_oauth(
    provider: str, *, return_to: str | None = None, invitation: str | None = None, terms: str | None = None
) -> RedirectCall:
    """Sign in through a provider.

    Open it in the browser: it leads to the provider, and from there to the callback.

    **Who:** Public: credentials are not looked at.

    Errors: `bad_request`, `not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return RedirectCall(
        "start_oauth",
        "GET",
        path("/auth/oauth/{provider}", provider=provider),
        str,
        query=values_given({"return_to": return_to, "invitation": invitation, "terms": terms}),
    )


def finish_oauth(
    provider: str,
    *,
    state: str | None = None,
    code: str | None = None,
    error: str | None = None,
    iss: str | None = None,
) -> RedirectCall:
    """Come back from a provider.

    Sets the cookies `access_token` and `refresh_token` and leads to `return_to`. Works once, within ten
    minutes, in the browser that began. A new user gets an account; where an account has the e-mail address
    that the provider vouches for, it is linked, and if no one had vouched for that address here before, loses
    its password, sessions, API keys and reset link. On an error, a browser that navigates here
    (`Sec-Fetch-Mode: navigate`) is led to `/sign-in?error=<code>` instead.

    **Who:** Public: credentials are not looked at.

    Errors: `bad_request`, `unauthorized`, `invalid_credentials`, `email_not_verified`, `sign_up_closed`,
    `domain_not_allowed`, `invitation_required`, `not_found`, `invitation_used`, `terms_required`,
    `email_taken`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return RedirectCall(
        "finish_oauth",
        "GET",
        path("/auth/oauth/{provider}/callback", provider=provider),
        str,
        query=values_given({"state": state, "code": code, "error": error, "iss": iss}),
    )


def create_event(
    *,
    name: str,
    pools: Sequence[models.PoolBody],
    name_ru: str | None = None,
    tags: Sequence[str] | None = None,
    versus_names: Sequence[str] | None = None,
    versus_images: Sequence[str] | None = None,
    has_draw: bool | None = None,
    image_url: str | None = None,
    external_event_url: str | None = None,
    main_pool_index: int | None = None,
    loop_interval_minutes: int | None = None,
) -> Call[models.Event]:
    """Create an event with its pools and markets.

    The event is new: only its creator and admins see it until it is published. Being an admin is not enough:
    403 means that the account lacks `is_creator`, which any admin gives to any account, themselves too, by
    `PATCH /admin/users/{id}` `{"is_creator": true}`. Where GET /site says so (`creators`), every account may;
    with `suggest` an admin publishes what others than creators make, at most 20 new events of each at a time.

    **Who:** Signed in, with the role `is_creator`.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`, `muted`,
    `too_many_events`, `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call(
        "create_event",
        "POST",
        "/events/create-full",
        models.Event,
        body=values_given(
            {
                "name_ru": name_ru,
                "tags": tags,
                "versus_names": versus_names,
                "versus_images": versus_images,
                "has_draw": has_draw,
                "image_url": image_url,
                "external_event_url": external_event_url,
                "main_pool_index": main_pool_index,
                "name": name,
                "pools": pools,
                "loop_interval_minutes": loop_interval_minutes,
            }
        ),
    )


def create_event_from_template(
    body: models.YesNoTemplate
    | models.MatchTemplate
    | models.PriceTemplate
    | models.CandidatesTemplate
    | models.NumberTemplate
    | models.DateTemplate
    | models.JointTemplate,
) -> Call[models.Event]:
    """Create an event from a template.

    As in creation, with one pool that the template describes: a question (`yes_no`), a match of two sides
    (`match`), an asset's price (`price`), or a question with several answers (`candidates`).

    **Who:** Signed in, with the role `is_creator`.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`, `muted`,
    `too_many_events`, `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call("create_event_from_template", "POST", "/events/from-template", models.Event, body=body)


def list_events(
    *,
    status: models.EventStatus | None = None,
    tag: str | None = None,
    q: str | None = None,
    series: int | None = None,
    current: bool | None = None,
    sort: Literal["new", "volume", "closing"] | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> PageCall[models.EventPage, models.Event]:
    """List events.

    A page ends early once it shows 2000 markets: `has_more` tells.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_events",
        "GET",
        "/events",
        models.EventPage,
        items=lambda page: page.events,
        query=values_given(
            {
                "status": status,
                "tag": tag,
                "q": q,
                "series": series,
                "current": current,
                "sort": sort,
                "limit": limit,
                "cursor": cursor,
            }
        ),
    )


def get_event(event_id: int) -> Call[models.Event]:
    """One event.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `invalid_event_id`, `unauthorized`, `event_not_found`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call("get_event", "GET", path("/events/{event_id}", event_id=event_id), models.Event)


def update_event(
    event_id: int,
    *,
    name_ru: str | None = None,
    tags: Sequence[str] | None = None,
    versus_names: Sequence[str] | None = None,
    versus_images: Sequence[str] | None = None,
    has_draw: bool | None = None,
    image_url: str | None = None,
    external_event_url: str | None = None,
    main_pool_index: int | None = None,
    name: str | None = None,
) -> Call[models.Event]:
    """Edit a new event.

    By its creator or an admin, until it is published.

    **Who:** Signed in.

    Errors: `invalid_event_id`, `bad_request`, `unauthorized`, `cross_site`, `forbidden`,
    `email_not_verified`, `muted`, `event_not_found`, `invalid_state`, `payload_too_large`,
    `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "update_event",
        "PATCH",
        path("/events/{event_id}", event_id=event_id),
        models.Event,
        body=values_given(
            {
                "name_ru": name_ru,
                "tags": tags,
                "versus_names": versus_names,
                "versus_images": versus_images,
                "has_draw": has_draw,
                "image_url": image_url,
                "external_event_url": external_event_url,
                "main_pool_index": main_pool_index,
                "name": name,
            }
        ),
    )


def publish_event(event_id: int) -> Call[models.Event]:
    """Publish a new event: its pools can be traded from their live_at on.

    By its creator or an admin. The house pays each pool's loss bound into its escrow. Placeholders in texts
    are filled in.

    **Who:** Signed in.

    Errors: `invalid_event_id`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`, `muted`,
    `event_not_found`, `invalid_state`, `price_unavailable`, `house_limit`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call("publish_event", "POST", path("/events/{event_id}/publish", event_id=event_id), models.Event)


def list_cards(
    *,
    status: Literal["new", "active", "closed", "resolved", "cancelled", "all"] | None = None,
    tag: str | None = None,
    q: str | None = None,
    creator: Literal["me"] | int | None = None,
    following: bool | None = None,
    sort: Literal["trending", "new", "volume", "closing", "moved"] | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> PageCall[models.CardPage, models.Card]:
    """List events at a glance.

    An event with its main pool: what a list of events shows. A page ends early once it shows pools with 2000
    markets. By trending and moved each event that is there throughout is shown once, however ranks change
    while they are read: a page goes on with the highest ranks not shown yet, and after a thousand with the
    newest events.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_cards",
        "GET",
        "/cards",
        models.CardPage,
        items=lambda page: page.cards,
        query=values_given(
            {
                "status": status,
                "tag": tag,
                "q": q,
                "creator": creator,
                "following": following,
                "sort": sort,
                "limit": limit,
                "cursor": cursor,
            }
        ),
    )


def list_tags() -> Call[models.Tags]:
    """The tags with the most active events.

    **Who:** Public: credentials are not looked at.

    Errors: `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("list_tags", "GET", "/tags", models.Tags)


def follow_event(event_id: int) -> Call[None]:
    """Follow an event.

    You are notified when it closes, moves, is commented on or ends, as your settings say. Your first trade in
    an event follows it, unless you have unfollowed it or follow 1,000. Of these, one that a trade follows
    makes space for what you choose.

    **Who:** Signed in.

    Errors: `invalid_event_id`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `event_not_found`, `too_many_follows`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("follow_event", "PUT", path("/events/{event_id}/follow", event_id=event_id), type(None))


def unfollow_event(event_id: int) -> Call[None]:
    """Unfollow an event.

    No trade of yours follows it again.

    **Who:** Signed in.

    Errors: `invalid_event_id`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `event_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("unfollow_event", "DELETE", path("/events/{event_id}/follow", event_id=event_id), type(None))


def follow_user(id: int) -> Call[None]:
    """Follow a user.

    You are notified of the events that they publish.

    **Who:** Signed in.

    Errors: `invalid_user_id`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `user_not_found`, `too_many_follows`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("follow_user", "PUT", path("/users/{id}/follow", id=id), type(None))


def unfollow_user(id: int) -> Call[None]:
    """Unfollow a user.

    **Who:** Signed in.

    Errors: `invalid_user_id`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `user_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("unfollow_user", "DELETE", path("/users/{id}/follow", id=id), type(None))


def follow_tag(tag: str) -> Call[None]:
    """Follow a tag, also one that no event has yet.

    You are notified of new events with it.

    **Who:** Signed in.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `too_many_follows`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("follow_tag", "PUT", path("/tags/{tag}/follow", tag=tag), type(None))


def unfollow_tag(tag: str) -> Call[None]:
    """Unfollow a tag.

    **Who:** Signed in.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return Call("unfollow_tag", "DELETE", path("/tags/{tag}/follow", tag=tag), type(None))


def get_following() -> Call[models.Following]:
    """What you follow.

    **Who:** Signed in.

    Errors: `unauthorized`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("get_following", "GET", "/users/me/following", models.Following)


def set_price_alert(market_id: int, *, above: int | None = None, below: int | None = None) -> Call[models.MarketAlert]:
    """Be notified once when a market's price is there.

    Each of the two prices is notified of at the first trade, or new priors, that leave the price of YES at it
    or past it, then it is gone; both are gone once trading ends. It replaces what you had set there; what was
    reached before is notified of all the same. A price that has passed one already is 409 `invalid_state`.

    **Who:** Signed in.

    Errors: `invalid_market_id`, `bad_request`, `unauthorized`, `cross_site`, `forbidden`,
    `email_not_verified`, `market_not_found`, `market_resolved`, `invalid_state`, `too_many_alerts`,
    `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "set_price_alert",
        "PUT",
        path("/markets/{market_id}/alert", market_id=market_id),
        models.MarketAlert,
        body=values_given({"above": above, "below": below}),
    )


def delete_price_alert(market_id: int) -> Call[None]:
    """Delete a price alert.

    **Who:** Signed in.

    Errors: `invalid_market_id`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `market_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("delete_price_alert", "DELETE", path("/markets/{market_id}/alert", market_id=market_id), type(None))


def list_price_alerts() -> Call[models.MarketAlerts]:
    """Your price alerts.

    **Who:** Signed in.

    Errors: `unauthorized`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("list_price_alerts", "GET", "/users/me/alerts", models.MarketAlerts)


def get_track_record(
    *,
    tag: str | None = None,
    horizon: Literal["mid", "1h", "1d", "7d", "30d"] | None = None,
    source: Literal["market", "crowd"] | None = None,
) -> Call[models.TrackRecord]:
    """How right the site's probabilities were.

    Of all pools that are finally resolved, with one winner and at least 5 traders beside the house (without
    trading: 5 forecasters). Trading ends at the pool's finish_at, or with an earlier decision. Of the crowd,
    pools without one at that moment are left out. Up to some seconds old.

    **Who:** Public: credentials are not looked at.

    Errors: `bad_request`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "get_track_record",
        "GET",
        "/record",
        models.TrackRecord,
        query=values_given({"tag": tag, "horizon": horizon, "source": source}),
    )


def get_record_of_user(
    id: int, *, tag: str | None = None, horizon: Literal["mid", "1h", "1d", "7d", "30d"] | None = None
) -> Call[models.TrackRecord]:
    """How right a user's forecasts were.

    Of the same pools, those in which a forecast of theirs stood at that moment. A hidden profile's is shown
    to its owner and to admins only.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `invalid_user_id`, `bad_request`, `unauthorized`, `user_not_found`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return Call(
        "get_record_of_user",
        "GET",
        path("/users/{id}/record", id=id),
        models.TrackRecord,
        query=values_given({"tag": tag, "horizon": horizon}),
    )


def get_event_details(event_id: int) -> Call[models.EventDetails]:
    """All that an event's page shows.

    The event, what is counted of it and its pools, what you may do with it, and your open positions in it.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `invalid_event_id`, `unauthorized`, `event_not_found`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call("get_event_details", "GET", path("/events/{event_id}/page", event_id=event_id), models.EventDetails)


def list_holders(pool_id: int) -> Call[models.Holders]:
    """Who holds shares in a pool.

    Of each side of each market the 20 who hold the most shares, and how many hold any.

    **Who:** Public: credentials are not looked at.

    Errors: `invalid_pool_id`, `pool_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("list_holders", "GET", path("/pools/{pool_id}/holders", pool_id=pool_id), models.Holders)


def get_user(id: int) -> Call[models.Profile]:
    """A user's profile.

    A hidden one is shown to its owner and to admins only.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `invalid_user_id`, `unauthorized`, `user_not_found`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call("get_user", "GET", path("/users/{id}", id=id), models.Profile)


def list_leaders(
    *,
    by: Literal["profit", "forecast"] | None = None,
    period: Literal["week", "month", "all"] | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> PageCall[models.LeaderPage, models.Leader]:
    """Who earned most.

    The first 1,000 by the profits that were realized in the period, or by what forecasts earned in pools that
    became final in it, without hidden profiles. On the board of forecasts are accounts of 30 days and 10
    scored pools; equal scores go by more pools, then by the older account. A ranking goes on changing while
    it is read: further pages stay in the period of the first, and go on with the highest not shown yet.

    **Who:** Public: credentials are not looked at.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_leaders",
        "GET",
        "/leaderboard",
        models.LeaderPage,
        items=lambda page: page.entries,
        query=values_given({"by": by, "period": period, "limit": limit, "cursor": cursor}),
    )


def get_own_board(
    *, period: Literal["week", "month", "all"] | None = None, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.ForecasterPage, models.Forecaster]:
    """Whose forecasts earned most, among those whom you follow and you.

    You have a place though your profile is hidden.

    **Who:** Signed in.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "get_own_board",
        "GET",
        "/users/me/forecast-board",
        models.ForecasterPage,
        items=lambda page: page.entries,
        query=values_given({"period": period, "limit": limit, "cursor": cursor}),
    )


def add_liquidity(pool_id: int, *, lmsr_b_kopecks: int, probabilities: Sequence[float]) -> Call[models.Pool]:
    """Raise a pool's liquidity while it trades.

    By its event's creator or an admin, between publication and finish_at or result. Prices, values and
    positions stay; later trades move prices less. The house pays ceil((b − b now) · ln(1 / smallest
    probability)) more. The same again moves nothing.

    **Who:** Signed in.

    Errors: `invalid_pool_id`, `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `muted`, `pool_not_found`, `invalid_state`, `slippage`, `house_limit`, `balance_limit`,
    `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "add_liquidity",
        "POST",
        path("/pools/{pool_id}/liquidity", pool_id=pool_id),
        models.Pool,
        body=values_given({"lmsr_b_kopecks": lmsr_b_kopecks, "probabilities": probabilities}),
    )


def update_pool(
    pool_id: int,
    *,
    name: str | None = None,
    name_ru: str | None = None,
    rules: str | None = None,
    market_names: Sequence[str] | None = None,
    live_at: datetime | None = None,
    finish_at: datetime | None = None,
) -> Call[models.Pool]:
    """Edit a pool of a new event, or move the end of one that trades.

    By its event's creator or an admin. Once the event is published only `finish_at` can change, from a moment
    that is ahead, or none, to another one ahead, and only before the pool has its result; where a rule
    resolves the pool, by an admin alone. Placeholders in the texts are filled in again.

    **Who:** Signed in.

    Errors: `invalid_pool_id`, `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `muted`, `pool_not_found`, `invalid_state`, `payload_too_large`, `unsupported_media_type`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return Call(
        "update_pool",
        "PATCH",
        path("/pools/{pool_id}", pool_id=pool_id),
        models.Pool,
        body=values_given(
            {
                "name": name,
                "name_ru": name_ru,
                "rules": rules,
                "market_names": market_names,
                "live_at": live_at,
                "finish_at": finish_at,
            }
        ),
    )


def get_pool(pool_id: int) -> Call[models.Pool]:
    """One pool.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `invalid_pool_id`, `unauthorized`, `pool_not_found`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call("get_pool", "GET", path("/pools/{pool_id}", pool_id=pool_id), models.Pool)


def get_series(series_id: int) -> Call[models.Series]:
    """One series.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `invalid_series_id`, `unauthorized`, `series_not_found`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call("get_series", "GET", path("/series/{series_id}", series_id=series_id), models.Series)


def update_series(
    series_id: int,
    *,
    name_ru: str | None = None,
    tags: Sequence[str] | None = None,
    versus_names: Sequence[str] | None = None,
    versus_images: Sequence[str] | None = None,
    has_draw: bool | None = None,
    image_url: str | None = None,
    external_event_url: str | None = None,
    main_pool_index: int | None = None,
    name: str | None = None,
    loop_interval_minutes: int | None = None,
    pools: Sequence[models.PoolBody] | None = None,
) -> Call[models.Series]:
    """Change the later instances of a series.

    By its creator or an admin. Fields as in creation; what is left out stays. `pools` replaces all pools,
    with the times of instance `next_index`.

    **Who:** Signed in.

    Errors: `invalid_series_id`, `bad_request`, `unauthorized`, `cross_site`, `forbidden`,
    `email_not_verified`, `muted`, `series_not_found`, `invalid_state`, `payload_too_large`,
    `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "update_series",
        "PATCH",
        path("/series/{series_id}", series_id=series_id),
        models.Series,
        body=values_given(
            {
                "name_ru": name_ru,
                "tags": tags,
                "versus_names": versus_names,
                "versus_images": versus_images,
                "has_draw": has_draw,
                "image_url": image_url,
                "external_event_url": external_event_url,
                "main_pool_index": main_pool_index,
                "name": name,
                "loop_interval_minutes": loop_interval_minutes,
                "pools": pools,
            }
        ),
    )


def stop_series(series_id: int) -> Call[models.Series]:
    """Open no more instances of a series.

    By its creator or an admin. The newest instance goes on.

    **Who:** Signed in.

    Errors: `invalid_series_id`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `series_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("stop_series", "POST", path("/series/{series_id}/stop", series_id=series_id), models.Series)


def resume_series(series_id: int) -> Call[models.Series]:
    """Open instances of a stopped series again.

    By its creator or an admin. Instances that are past meanwhile are left out.

    **Who:** Signed in.

    Errors: `invalid_series_id`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`, `muted`,
    `series_not_found`, `invalid_state`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("resume_series", "POST", path("/series/{series_id}/resume", series_id=series_id), models.Series)


def get_pools(*, ids: Sequence[int]) -> Call[list[models.Pool]]:
    """Several pools at once.

    In the order asked, duplicates once, unknown and unpublished ones left out.

    **Who:** Public: credentials are not looked at.

    Errors: `bad_request`, `invalid_ids`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("get_pools", "GET", "/pools/batch", list[models.Pool], query=values_given({"ids": ids}))


def pause_pool(pool_id: int) -> Call[models.Pool]:
    """Pause trading in a pool.

    By its event's creator or an admin. Once the creator has paused a pool that a rule resolves, only an admin
    cancels the event.

    **Who:** Signed in.

    Errors: `invalid_pool_id`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `pool_not_found`, `invalid_state`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("pause_pool", "POST", path("/pools/{pool_id}/pause", pool_id=pool_id), models.Pool)


def resume_pool(pool_id: int) -> Call[models.Pool]:
    """Resume trading in a pool.

    By its event's creator or an admin.

    **Who:** Signed in.

    Errors: `invalid_pool_id`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `pool_not_found`, `invalid_state`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("resume_pool", "POST", path("/pools/{pool_id}/resume", pool_id=pool_id), models.Pool)


def get_market(market_id: int) -> Call[models.Market]:
    """One market.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `invalid_market_id`, `unauthorized`, `market_not_found`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call("get_market", "GET", path("/markets/{market_id}", market_id=market_id), models.Market)


def get_pool_charts(
    pool_id: int,
    *,
    range: Literal["1h", "1d", "1w", "1m", "all"] | None = None,
    as_: Literal["quantiles"] | None = None,
) -> Call[models.PoolCharts]:
    """A pool's charts.

    Each point holds the probabilities at its time; the last one is the present. With `range`, that chart
    alone; `all` goes from its publication to the present (or the end of its trading). With `as=quantiles`,
    for a number or a date alone, each point holds the 10th, 25th, 50th, 75th and 90th percentile instead: of
    a date as Unix seconds, in an open range its edge.

    **Who:** Public: credentials are not looked at.

    Errors: `invalid_pool_id`, `bad_request`, `pool_not_found`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call(
        "get_pool_charts",
        "GET",
        path("/pools/{pool_id}/charts", pool_id=pool_id),
        models.PoolCharts,
        query=values_given({"range": range, "as": as_}),
    )


def get_market_chart(market_id: int) -> Call[list[models.MarketChartPoint]]:
    """A market's chart.

    From its publication to the present (or the end of its trading) in at most 1,000 points.

    **Who:** Public: credentials are not looked at.

    Errors: `invalid_market_id`, `market_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "get_market_chart",
        "GET",
        path("/markets/{market_id}/chart", market_id=market_id),
        list[models.MarketChartPoint],
    )


def resolve_pool(
    pool_id: int,
    *,
    won_side: int | None = None,
    payouts: Sequence[float] | None = None,
    void: bool | None = None,
    value: str | None = None,
    values: Sequence[str] | None = None,
    at: datetime | None = None,
    outcomes: int | None = None,
    note: str | None = None,
    note_ru: str | None = None,
    source_url: str | None = None,
) -> Call[models.Pool]:
    """Resolve a pool and pay its positions.

    By its event's creator or an admin; where a rule resolves it, by its creator only in `attention`; a void
    at a moment (`at`) by an admin alone. The same resolution again moves nothing. It is final at once, or
    after the pool's dispute window; until it is final an admin's other resolution replaces it, which opens a
    new window and answers the objections. An admin who made the event or ever traded in the pool replaces
    none, where there is another. Its reasons are for all to see; sent again, by who gave it or an admin, they
    fill in what was left out. Answers when all positions are paid, after 10 s as it then stands.

    **Who:** Signed in.

    Errors: `invalid_pool_id`, `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `muted`, `own_event`, `pool_not_found`, `invalid_state`, `slippage`, `already_resolved`,
    `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "resolve_pool",
        "POST",
        path("/pools/{pool_id}/resolve", pool_id=pool_id),
        models.Pool,
        body=values_given(
            {
                "won_side": won_side,
                "payouts": payouts,
                "void": void,
                "value": value,
                "values": values,
                "at": at,
                "outcomes": outcomes,
                "note": note,
                "note_ru": note_ru,
                "source_url": source_url,
            }
        ),
    )


def cancel_event(
    event_id: int, *, note: str | None = None, note_ru: str | None = None, source_url: str | None = None
) -> Call[models.Event]:
    """Cancel an event.

    By its creator or an admin; by an admin alone from the `finish_at` of a pool that a rule resolves until
    its result, once the creator has paused such a pool, and once a pool with a dispute window was traded.
    Every pool without a result is voided: each share is paid its market's last probability. Answers when all
    positions are paid, after 10 s as it then stands.

    Its creator is notified, with the note; its followers without. Of one that was published the reasons stand
    in the resolutions of the pools that it voids.

    **Who:** Signed in.

    Errors: `invalid_event_id`, `bad_request`, `unauthorized`, `cross_site`, `forbidden`,
    `email_not_verified`, `muted`, `event_not_found`, `invalid_state`, `payload_too_large`,
    `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "cancel_event",
        "POST",
        path("/events/{event_id}/cancel", event_id=event_id),
        models.Event,
        body=values_given({"note": note, "note_ru": note_ru, "source_url": source_url}),
    )


def create_objection(
    pool_id: int,
    *,
    verdict: int,
    reason: str,
    source_url: str | None = None,
    proposal: models.ResolveBody | None = None,
) -> Call[models.Objection]:
    """Object to a pool's result, within its dispute window.

    By who held shares of the pool when its trading ended. It is for all to see. An objection that `holds`
    keeps the result from being final until an admin confirms or replaces it, at most 7 days longer. One has
    one a result, and at most 20 in 24 hours.

    **Who:** Signed in.

    Errors: `invalid_pool_id`, `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `pool_not_found`, `objections_off`, `invalid_state`, `payload_too_large`, `unsupported_media_type`,
    `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "create_objection",
        "POST",
        path("/pools/{pool_id}/objections", pool_id=pool_id),
        models.Objection,
        body=values_given({"verdict": verdict, "reason": reason, "source_url": source_url, "proposal": proposal}),
    )


def list_objections(
    pool_id: int, *, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.ObjectionPage, models.Objection]:
    """List the objections to a pool's results, newest first.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `invalid_pool_id`, `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`,
    `pool_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_objections",
        "GET",
        path("/pools/{pool_id}/objections", pool_id=pool_id),
        models.ObjectionPage,
        items=lambda page: page.objections,
        query=values_given({"limit": limit, "cursor": cursor}),
    )


def create_partner_objection(
    pool_id: int,
    *,
    verdict: int,
    reason: str,
    external_user_id: str,
    source_url: str | None = None,
    proposal: models.ResolveBody | None = None,
) -> Call[models.Objection]:
    """Object to a pool's result for one of your users.

    As people do: one of all your users objects to a result, and together they have at most 20 objections in
    24 hours.

    **Who:** A partner, by its key.

    Errors: `invalid_pool_id`, `bad_request`, `invalid_external_user_id`, `invalid_partner_key`, `forbidden`,
    `pool_not_found`, `objections_off`, `invalid_state`, `payload_too_large`, `unsupported_media_type`,
    `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "create_partner_objection",
        "POST",
        path("/partner/pools/{pool_id}/objections", pool_id=pool_id),
        models.Objection,
        body=values_given(
            {
                "verdict": verdict,
                "reason": reason,
                "source_url": source_url,
                "proposal": proposal,
                "external_user_id": external_user_id,
            }
        ),
    )


def confirm_pool(pool_id: int, *, verdict: int, seen: int | None = None, note: str | None = None) -> Call[models.Pool]:
    """Confirm a pool's result in spite of the objections to it.

    They are rejected, and no later one holds it: it is final at the end of its dispute window, at once if
    that is past. An admin who made the event or ever traded in the pool leaves it to another, where there is
    one. Confirmed already, nothing changes.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `invalid_pool_id`, `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `own_event`, `pool_not_found`, `invalid_state`, `already_resolved`, `payload_too_large`,
    `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "confirm_pool",
        "POST",
        path("/pools/{pool_id}/confirm", pool_id=pool_id),
        models.Pool,
        body=values_given({"verdict": verdict, "seen": seen, "note": note}),
    )


def list_objected_results(
    *, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.ObjectedResultPage, models.ObjectedResult]:
    """List the results that someone objects to, those first that have waited longest.

    With who objects, how much is at stake for them, how they fared before, and what their proposals would
    pay.

    **Who:** Signed in, with the role `is_operator` or `is_admin`.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `forbidden`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_objected_results",
        "GET",
        "/admin/objections",
        models.ObjectedResultPage,
        items=lambda page: page.results,
        query=values_given({"limit": limit, "cursor": cursor}),
    )


def hide_objection(objection_id: int, *, hidden: bool, note: str | None = None) -> Call[models.Objection]:
    """Hide what an objection says, or show it again.

    `reason` and `source_url` of a hidden one are "" for all but its author, operators and admins; it holds
    all the same.

    **Who:** Signed in, with the role `is_operator` or `is_admin`.

    Errors: `invalid_objection_id`, `bad_request`, `unauthorized`, `cross_site`, `forbidden`,
    `email_not_verified`, `objection_not_found`, `payload_too_large`, `unsupported_media_type`,
    `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "hide_objection",
        "PUT",
        path("/admin/objections/{objection_id}/hidden", objection_id=objection_id),
        models.Objection,
        body=values_given({"hidden": hidden, "note": note}),
    )


def add_outcome(
    pool_id: int, *, name: str, share: float, probability: float, name_ru: str | None = None
) -> Call[models.Pool]:
    """Take an outcome out of a list's Other.

    By its event's creator or an admin, between publication and finish_at or result. Prices, values and
    payoffs stay: a YES share of Other is one of Other and one of the new outcome from then on, and Other's
    price is shared between both. Nothing undoes it. Answers when all positions are turned, after 10 s as it
    then stands. The name and share of one of its splits again: 200, and nothing moves.

    **Who:** Signed in.

    Errors: `invalid_pool_id`, `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `muted`, `pool_not_found`, `invalid_state`, `name_taken`, `slippage`, `house_limit`, `balance_limit`,
    `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "add_outcome",
        "POST",
        path("/pools/{pool_id}/outcomes", pool_id=pool_id),
        models.Pool,
        body=values_given({"name": name, "name_ru": name_ru, "share": share, "probability": probability}),
    )


def get_event_odds(event_id: int) -> Call[models.EventOdds]:
    """What an event follows elsewhere.

    For its creator and admins: which outcomes match, their prices, and whether pools follow.

    **Who:** Signed in.

    Errors: `invalid_event_id`, `unauthorized`, `forbidden`, `event_not_found`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return Call("get_event_odds", "GET", path("/events/{event_id}/odds", event_id=event_id), models.EventOdds)


def place_bet(
    *,
    market_id: int,
    token_type: models.TokenType,
    amount_kopecks: int,
    min_shares: int | None = None,
    max_price_bps: int | None = None,
    outcomes: int | None = None,
    idempotency_key: str | None = None,
) -> Call[models.Bet]:
    """Place a bet.

    **Who:** Signed in.

    Errors: `bad_request`, `invalid_idempotency_key`, `amount_too_small`, `unauthorized`, `cross_site`,
    `forbidden`, `trading_off`, `email_not_verified`, `own_event`, `market_not_found`, `market_resolved`,
    `market_closed`, `market_paused`, `slippage`, `market_limit`, `insufficient_funds`, `balance_limit`,
    `payload_too_large`, `unsupported_media_type`, `idempotency_key_reused`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call(
        "place_bet",
        "POST",
        "/market/bets",
        models.Bet,
        body=values_given(
            {
                "market_id": market_id,
                "token_type": token_type,
                "amount_kopecks": amount_kopecks,
                "min_shares": min_shares,
                "max_price_bps": max_price_bps,
                "outcomes": outcomes,
            }
        ),
        idempotency_key=idempotency_key,
        is_idempotent=True,
    )


def sell_shares(
    *,
    market_id: int,
    token_type: models.TokenType,
    shares: int | None = None,
    min_payout_kopecks: int | None = None,
    outcomes: int | None = None,
    idempotency_key: str | None = None,
) -> Call[models.Sale]:
    """Sell shares of an open position.

    **Who:** Signed in.

    Errors: `bad_request`, `invalid_idempotency_key`, `amount_too_small`, `unauthorized`, `cross_site`,
    `forbidden`, `trading_off`, `email_not_verified`, `own_event`, `market_not_found`, `market_resolved`,
    `market_closed`, `market_paused`, `slippage`, `insufficient_shares`, `market_limit`, `balance_limit`,
    `payload_too_large`, `unsupported_media_type`, `idempotency_key_reused`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call(
        "sell_shares",
        "POST",
        "/market/positions/sell",
        models.Sale,
        body=values_given(
            {
                "market_id": market_id,
                "token_type": token_type,
                "shares": shares,
                "min_payout_kopecks": min_payout_kopecks,
                "outcomes": outcomes,
            }
        ),
        idempotency_key=idempotency_key,
        is_idempotent=True,
    )


def quote_order(
    *,
    market_id: int,
    token_type: models.TokenType,
    amount_kopecks: int | None = None,
    shares: int | None = None,
    outcomes: int | None = None,
) -> Call[models.Quote]:
    """What an order would get now.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `bad_request`, `amount_too_small`, `unauthorized`, `trading_off`, `own_event`, `market_not_found`,
    `market_resolved`, `market_closed`, `market_paused`, `slippage`, `market_limit`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return Call(
        "quote_order",
        "GET",
        "/market/quote",
        models.Quote,
        query=values_given(
            {
                "market_id": market_id,
                "token_type": token_type,
                "amount_kopecks": amount_kopecks,
                "shares": shares,
                "outcomes": outcomes,
            }
        ),
    )


def place_order(
    *,
    market_id: int,
    token_type: models.TokenType,
    action: models.Action,
    shares: int,
    price_bps: int,
    time_in_force: models.TimeInForce | None = None,
    post_only: bool | None = None,
    expires_at: datetime | None = None,
    outcomes: int | None = None,
    idempotency_key: str | None = None,
) -> Call[models.PlacedOrder]:
    """Place a limit order.

    It fills at once what it can at its price or better. The rest of a `gtc` rests: a purchase holds its
    money, a sale reserves its shares.

    **Who:** Signed in.

    Errors: `bad_request`, `invalid_idempotency_key`, `unauthorized`, `cross_site`, `forbidden`,
    `trading_off`, `email_not_verified`, `own_event`, `market_not_found`, `market_resolved`, `market_closed`,
    `market_paused`, `slippage`, `insufficient_shares`, `too_many_orders`, `would_trade`, `unfilled`,
    `market_limit`, `balance_limit`, `insufficient_funds`, `payload_too_large`, `unsupported_media_type`,
    `idempotency_key_reused`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "place_order",
        "POST",
        "/market/orders",
        models.PlacedOrder,
        body=values_given(
            {
                "market_id": market_id,
                "token_type": token_type,
                "action": action,
                "shares": shares,
                "price_bps": price_bps,
                "time_in_force": time_in_force,
                "post_only": post_only,
                "expires_at": expires_at,
                "outcomes": outcomes,
            }
        ),
        idempotency_key=idempotency_key,
        is_idempotent=True,
    )


def list_orders(
    *,
    market_id: int | None = None,
    pool_id: int | None = None,
    status: models.PlacedOrderStatus | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> PageCall[models.OrderPage, models.LimitOrder]:
    """List your limit orders.

    Newest first.

    **Who:** Signed in.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_orders",
        "GET",
        "/market/orders",
        models.OrderPage,
        items=lambda page: page.orders,
        query=values_given(
            {"market_id": market_id, "pool_id": pool_id, "status": status, "limit": limit, "cursor": cursor}
        ),
    )


def get_order(id: int) -> Call[models.LimitOrder]:
    """One of your limit orders.

    **Who:** Signed in.

    Errors: `invalid_order_id`, `unauthorized`, `order_not_found`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call("get_order", "GET", path("/market/orders/{id}", id=id), models.LimitOrder)


def cancel_order(id: int) -> Call[models.LimitOrder]:
    """Cancel a limit order.

    One that has ended stays as it is; what is still held for it is paid out at once.

    **Who:** Signed in.

    Errors: `invalid_order_id`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `order_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("cancel_order", "DELETE", path("/market/orders/{id}", id=id), models.LimitOrder)


def list_order_fills(
    id: int, *, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.OrderFillPage, models.OrderFill]:
    """List the fills of one of your limit orders.

    Newest first.

    **Who:** Signed in.

    Errors: `invalid_order_id`, `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`,
    `order_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_order_fills",
        "GET",
        path("/market/orders/{id}/fills", id=id),
        models.OrderFillPage,
        items=lambda page: page.fills,
        query=values_given({"limit": limit, "cursor": cursor}),
    )


def cancel_orders(
    *,
    order_ids: Sequence[int] | None = None,
    market_id: int | None = None,
    pool_id: int | None = None,
    all: Literal[True] | None = None,
) -> Call[models.CancelledOrders]:
    """Cancel open limit orders.

    Those named by exactly one of the four, at most 100, the newest first. Those of each pool are cancelled at
    once.

    **Who:** Signed in.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "cancel_orders",
        "POST",
        "/market/orders/cancel",
        models.CancelledOrders,
        body=values_given({"order_ids": order_ids, "market_id": market_id, "pool_id": pool_id, "all": all}),
    )


def place_basket(
    *,
    market_ids: Sequence[int] | None = None,
    given: Sequence[int] | None = None,
    amount_kopecks: int | None = None,
    min_shares: int | None = None,
    changes: Sequence[models.BasketChange] | None = None,
    min_net_kopecks: int | None = None,
    outcomes: int | None = None,
    idempotency_key: str | None = None,
) -> Call[models.Basket]:
    """Place a basket.

    One order on several markets of a pool at one price: a stake on a set of them, perhaps on a condition; or
    shares to buy and to sell of each. What its sales bring pays for its purchases.

    **Who:** Signed in.

    Errors: `bad_request`, `invalid_idempotency_key`, `amount_too_small`, `unauthorized`, `cross_site`,
    `forbidden`, `trading_off`, `email_not_verified`, `own_event`, `market_not_found`, `market_resolved`,
    `market_closed`, `market_paused`, `slippage`, `market_limit`, `insufficient_shares`, `balance_limit`,
    `insufficient_funds`, `payload_too_large`, `unsupported_media_type`, `idempotency_key_reused`,
    `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "place_basket",
        "POST",
        "/market/baskets",
        models.Basket,
        body=values_given(
            {
                "market_ids": market_ids,
                "given": given,
                "amount_kopecks": amount_kopecks,
                "min_shares": min_shares,
                "changes": changes,
                "min_net_kopecks": min_net_kopecks,
                "outcomes": outcomes,
            }
        ),
        idempotency_key=idempotency_key,
        is_idempotent=True,
    )


def quote_basket(
    *,
    market_ids: Sequence[int] | None = None,
    given: Sequence[int] | None = None,
    amount_kopecks: int | None = None,
    min_shares: int | None = None,
    changes: Sequence[models.BasketChange] | None = None,
    min_net_kopecks: int | None = None,
    outcomes: int | None = None,
) -> Call[models.BasketQuote]:
    """What a basket would get now.

    Refused as the order would be, but for want of money or shares.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `bad_request`, `amount_too_small`, `unauthorized`, `cross_site`, `trading_off`, `own_event`,
    `market_not_found`, `market_resolved`, `market_closed`, `market_paused`, `slippage`, `market_limit`,
    `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "quote_basket",
        "POST",
        "/market/baskets/quote",
        models.BasketQuote,
        body=values_given(
            {
                "market_ids": market_ids,
                "given": given,
                "amount_kopecks": amount_kopecks,
                "min_shares": min_shares,
                "changes": changes,
                "min_net_kopecks": min_net_kopecks,
                "outcomes": outcomes,
            }
        ),
    )


def get_basket(id: int) -> Call[models.StoredBasket]:
    """One of your baskets, as it was answered.

    **Who:** Signed in.

    Errors: `invalid_basket_id`, `unauthorized`, `basket_not_found`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call("get_basket", "GET", path("/market/baskets/{id}", id=id), models.StoredBasket)


def get_orderbook(market_id: int) -> Call[models.Orderbook]:
    """A market's order book.

    The depth ladder of the market maker, and at each whole percent what resting orders offer there; empty
    while the market cannot be traded.

    **Who:** Public: credentials are not looked at.

    Errors: `invalid_market_id`, `market_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("get_orderbook", "GET", path("/market/orderbook/{market_id}", market_id=market_id), models.Orderbook)


def list_event_trades(
    event_id: int, *, market_id: int | None = None, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.TradePage, models.Trade]:
    """List the trades of an event.

    Newest first. With `market_id`, a page ends early (`has_more`) after 5,000 of the event's trades.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `invalid_event_id`, `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`,
    `event_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_event_trades",
        "GET",
        path("/events/{event_id}/trades", event_id=event_id),
        models.TradePage,
        items=lambda page: page.trades,
        query=values_given({"market_id": market_id, "limit": limit, "cursor": cursor}),
    )


def list_my_trades(
    *, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.OwnTradePage, models.OwnTrade]:
    """List your trades.

    Newest first.

    **Who:** Signed in.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_my_trades",
        "GET",
        "/users/me/trades",
        models.OwnTradePage,
        items=lambda page: page.trades,
        query=values_given({"limit": limit, "cursor": cursor}),
    )


def list_user_trades(
    id: int, *, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.TradePage, models.Trade]:
    """List a user's trades.

    Newest first. A hidden profile's are shown to its owner and to admins only.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `invalid_user_id`, `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`,
    `user_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_user_trades",
        "GET",
        path("/users/{id}/trades", id=id),
        models.TradePage,
        items=lambda page: page.trades,
        query=values_given({"limit": limit, "cursor": cursor}),
    )


def list_my_held_positions(
    *, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.HeldPositionPage, models.HeldPosition]:
    """Your open positions.

    Newest first, each with what it is worth now, or will be paid.

    **Who:** Signed in.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_my_held_positions",
        "GET",
        "/market/positions",
        models.HeldPositionPage,
        items=lambda page: page.positions,
        query=values_given({"limit": limit, "cursor": cursor}),
    )


def list_my_completed_positions(
    *, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.CompletedPositionPage, models.CompletedPosition]:
    """Your completed positions.

    Those sold to the last share or settled, the one closed last first.

    **Who:** Signed in.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_my_completed_positions",
        "GET",
        "/market/positions/completed",
        models.CompletedPositionPage,
        items=lambda page: page.positions,
        query=values_given({"limit": limit, "cursor": cursor}),
    )


def get_my_pnl_chart() -> Call[models.PnlChart]:
    """Your profits.

    **Who:** Signed in.

    Errors: `unauthorized`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("get_my_pnl_chart", "GET", "/users/me/pnl/chart", models.PnlChart)


def get_user_pnl_chart(id: int) -> Call[models.PnlChart]:
    """A user's profits.

    A hidden profile's are shown to its owner and to admins only.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `invalid_id`, `unauthorized`, `user_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("get_user_pnl_chart", "GET", path("/users/{id}/pnl/chart", id=id), models.PnlChart)


def list_my_positions(
    *,
    state: Literal["open", "closed"] | None = None,
    event_id: int | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> PageCall[models.PositionPage, models.Position]:
    """Your positions with what they cost.

    Open ones newest first, or closed ones by their closing, the last one first: sold, won, lost and void in
    one list.

    **Who:** Signed in.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_my_positions",
        "GET",
        "/users/me/positions",
        models.PositionPage,
        items=lambda page: page.positions,
        query=values_given({"state": state, "event_id": event_id, "limit": limit, "cursor": cursor}),
    )


def get_my_portfolio() -> Call[models.Portfolio]:
    """What you have and have earned, in sums.

    **Who:** Signed in.

    Errors: `unauthorized`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("get_my_portfolio", "GET", "/users/me/portfolio", models.Portfolio)


def get_my_worth(*, range: Literal["1m", "1y", "all"] | None = None) -> Call[models.WorthChart]:
    """What you were worth at the end of each day, UTC, and are now.

    Your balance, what your limit orders hold, and the value of your positions at the prices then. A day is
    kept some minutes after its end. At most 1,000 points, evenly spaced: of more days every second one, or
    fourth.

    **Who:** Signed in.

    Errors: `bad_request`, `unauthorized`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("get_my_worth", "GET", "/users/me/worth", models.WorthChart, query=values_given({"range": range}))


def list_my_transactions(
    *, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.TransactionPage, models.Transaction]:
    """Every movement of your money.

    Newest first; from the first one on they add up to your balance.

    **Who:** Signed in.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_my_transactions",
        "GET",
        "/users/me/transactions",
        models.TransactionPage,
        items=lambda page: page.transactions,
        query=values_given({"limit": limit, "cursor": cursor}),
    )


def get_my_allowance() -> Call[models.OwnAllowance]:
    """What you are granted from time to time.

    Who trades, comments, or begins or refreshes a session in a period is granted it when the next one begins.
    Where the site asks for verified e-mail addresses, others expect none.

    **Who:** Signed in.

    Errors: `unauthorized`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("get_my_allowance", "GET", "/users/me/allowance", models.OwnAllowance)


def place_partner_bet(
    *,
    external_user_id: str,
    market_id: int,
    side: models.Side,
    stake_kopecks: int,
    min_shares: int | None = None,
    max_price_bps: int | None = None,
    outcomes: int | None = None,
    idempotency_key: str | None = None,
) -> Call[models.PartnerBet]:
    """Place a bet for a user of yours.

    **Who:** A partner, by its key.

    Errors: `bad_request`, `invalid_idempotency_key`, `invalid_external_user_id`, `amount_too_small`,
    `invalid_partner_key`, `trading_off`, `market_not_found`, `market_resolved`, `market_closed`,
    `market_paused`, `slippage`, `market_limit`, `insufficient_float`, `balance_limit`, `payload_too_large`,
    `unsupported_media_type`, `idempotency_key_reused`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "place_partner_bet",
        "POST",
        "/partner/bets",
        models.PartnerBet,
        body=values_given(
            {
                "external_user_id": external_user_id,
                "market_id": market_id,
                "side": side,
                "stake_kopecks": stake_kopecks,
                "min_shares": min_shares,
                "max_price_bps": max_price_bps,
                "outcomes": outcomes,
            }
        ),
        idempotency_key=idempotency_key,
        is_idempotent=True,
    )


def sell_partner_shares(
    *,
    external_user_id: str,
    market_id: int,
    side: models.Side,
    shares: int | None = None,
    min_payout_kopecks: int | None = None,
    outcomes: int | None = None,
    idempotency_key: str | None = None,
) -> Call[models.PartnerSale]:
    """Sell shares of a user of yours.

    **Who:** A partner, by its key.

    Errors: `bad_request`, `invalid_idempotency_key`, `invalid_external_user_id`, `amount_too_small`,
    `invalid_partner_key`, `trading_off`, `market_not_found`, `market_resolved`, `market_closed`,
    `market_paused`, `slippage`, `insufficient_shares`, `market_limit`, `balance_limit`, `payload_too_large`,
    `unsupported_media_type`, `idempotency_key_reused`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "sell_partner_shares",
        "POST",
        "/partner/positions/sell",
        models.PartnerSale,
        body=values_given(
            {
                "external_user_id": external_user_id,
                "market_id": market_id,
                "side": side,
                "shares": shares,
                "min_payout_kopecks": min_payout_kopecks,
                "outcomes": outcomes,
            }
        ),
        idempotency_key=idempotency_key,
        is_idempotent=True,
    )


def quote_partner_order(
    *,
    market_id: int,
    side: models.Side,
    external_user_id: str | None = None,
    stake_kopecks: int | None = None,
    shares: int | None = None,
    outcomes: int | None = None,
) -> Call[models.PartnerQuote]:
    """What an order would get now.

    Refused as the order would be, but for want of money or shares. With `external_user_id` as the order of
    that user, who need not exist yet.

    **Who:** A partner, by its key.

    Errors: `bad_request`, `invalid_external_user_id`, `amount_too_small`, `invalid_partner_key`,
    `trading_off`, `market_not_found`, `market_resolved`, `market_closed`, `market_paused`, `slippage`,
    `market_limit`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "quote_partner_order",
        "GET",
        "/partner/quote",
        models.PartnerQuote,
        query=values_given(
            {
                "external_user_id": external_user_id,
                "market_id": market_id,
                "side": side,
                "stake_kopecks": stake_kopecks,
                "shares": shares,
                "outcomes": outcomes,
            }
        ),
    )


def place_partner_order(
    *,
    external_user_id: str,
    market_id: int,
    side: models.Side,
    action: models.Action,
    shares: int,
    price_bps: int,
    time_in_force: models.TimeInForce | None = None,
    post_only: bool | None = None,
    expires_at: datetime | None = None,
    outcomes: int | None = None,
    idempotency_key: str | None = None,
) -> Call[models.PlacedPartnerOrder]:
    """Place a limit order for a user of yours.

    What it takes on arrival and then what it holds is paid by the sub-account's balance first, the rest by
    the float.

    **Who:** A partner, by its key.

    Errors: `bad_request`, `invalid_idempotency_key`, `invalid_external_user_id`, `invalid_partner_key`,
    `trading_off`, `market_not_found`, `market_resolved`, `market_closed`, `market_paused`, `slippage`,
    `insufficient_shares`, `too_many_orders`, `would_trade`, `unfilled`, `market_limit`, `balance_limit`,
    `insufficient_float`, `payload_too_large`, `unsupported_media_type`, `idempotency_key_reused`,
    `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "place_partner_order",
        "POST",
        "/partner/orders",
        models.PlacedPartnerOrder,
        body=values_given(
            {
                "external_user_id": external_user_id,
                "market_id": market_id,
                "side": side,
                "action": action,
                "shares": shares,
                "price_bps": price_bps,
                "time_in_force": time_in_force,
                "post_only": post_only,
                "expires_at": expires_at,
                "outcomes": outcomes,
            }
        ),
        idempotency_key=idempotency_key,
        is_idempotent=True,
    )


def list_partner_orders(
    *,
    external_user_id: str | None = None,
    market_id: int | None = None,
    pool_id: int | None = None,
    status: models.PlacedOrderStatus | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> PageCall[models.PartnerOrderPage, models.PartnerLimitOrder]:
    """List limit orders of your users.

    Newest first.

    **Who:** A partner, by its key.

    Errors: `bad_request`, `invalid_external_user_id`, `invalid_limit`, `invalid_cursor`,
    `invalid_partner_key`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_partner_orders",
        "GET",
        "/partner/orders",
        models.PartnerOrderPage,
        items=lambda page: page.orders,
        query=values_given(
            {
                "external_user_id": external_user_id,
                "market_id": market_id,
                "pool_id": pool_id,
                "status": status,
                "limit": limit,
                "cursor": cursor,
            }
        ),
    )


def get_partner_order(id: int, *, external_user_id: str | None = None) -> Call[models.PartnerLimitOrder]:
    """One limit order of a user of yours.

    **Who:** A partner, by its key.

    Errors: `invalid_order_id`, `bad_request`, `invalid_external_user_id`, `invalid_partner_key`,
    `order_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "get_partner_order",
        "GET",
        path("/partner/orders/{id}", id=id),
        models.PartnerLimitOrder,
        query=values_given({"external_user_id": external_user_id}),
    )


def cancel_partner_order(id: int, *, external_user_id: str | None = None) -> Call[models.CancelledPartnerOrder]:
    """Cancel a limit order of a user of yours.

    One that has ended stays as it is; what is still held for it is paid out at once.

    **Who:** A partner, by its key.

    Errors: `invalid_order_id`, `bad_request`, `invalid_external_user_id`, `invalid_partner_key`,
    `order_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "cancel_partner_order",
        "DELETE",
        path("/partner/orders/{id}", id=id),
        models.CancelledPartnerOrder,
        query=values_given({"external_user_id": external_user_id}),
    )


def list_partner_order_fills(
    id: int, *, external_user_id: str | None = None, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.PartnerOrderFillPage, models.PartnerOrderFill]:
    """List the fills of a limit order of a user of yours.

    Newest first.

    **Who:** A partner, by its key.

    Errors: `invalid_order_id`, `bad_request`, `invalid_external_user_id`, `invalid_limit`, `invalid_cursor`,
    `invalid_partner_key`, `order_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_partner_order_fills",
        "GET",
        path("/partner/orders/{id}/fills", id=id),
        models.PartnerOrderFillPage,
        items=lambda page: page.fills,
        query=values_given({"external_user_id": external_user_id, "limit": limit, "cursor": cursor}),
    )


def cancel_partner_orders(
    *,
    external_user_id: str | None = None,
    order_ids: Sequence[int] | None = None,
    market_id: int | None = None,
    pool_id: int | None = None,
    all: Literal[True] | None = None,
) -> Call[models.CancelledPartnerOrders]:
    """Cancel open limit orders of your users.

    Those named by exactly one of the four, at most 100, the newest first. Those of each pool are cancelled at
    once.

    **Who:** A partner, by its key.

    Errors: `bad_request`, `invalid_external_user_id`, `invalid_partner_key`, `payload_too_large`,
    `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "cancel_partner_orders",
        "POST",
        "/partner/orders/cancel",
        models.CancelledPartnerOrders,
        body=values_given(
            {
                "external_user_id": external_user_id,
                "order_ids": order_ids,
                "market_id": market_id,
                "pool_id": pool_id,
                "all": all,
            }
        ),
    )


def place_partner_basket(
    *,
    external_user_id: str,
    market_ids: Sequence[int] | None = None,
    given: Sequence[int] | None = None,
    stake_kopecks: int | None = None,
    min_shares: int | None = None,
    changes: Sequence[models.BasketChange] | None = None,
    min_net_kopecks: int | None = None,
    outcomes: int | None = None,
    idempotency_key: str | None = None,
) -> Call[models.PartnerBasket]:
    """Place a basket for a user of yours.

    What its net costs over the sub-account's balance is funded from the float; what comes in stays on the
    sub-account.

    **Who:** A partner, by its key.

    Errors: `bad_request`, `invalid_idempotency_key`, `invalid_external_user_id`, `amount_too_small`,
    `invalid_partner_key`, `trading_off`, `market_not_found`, `market_resolved`, `market_closed`,
    `market_paused`, `slippage`, `market_limit`, `insufficient_shares`, `balance_limit`, `insufficient_float`,
    `payload_too_large`, `unsupported_media_type`, `idempotency_key_reused`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call(
        "place_partner_basket",
        "POST",
        "/partner/baskets",
        models.PartnerBasket,
        body=values_given(
            {
                "external_user_id": external_user_id,
                "market_ids": market_ids,
                "given": given,
                "stake_kopecks": stake_kopecks,
                "min_shares": min_shares,
                "changes": changes,
                "min_net_kopecks": min_net_kopecks,
                "outcomes": outcomes,
            }
        ),
        idempotency_key=idempotency_key,
        is_idempotent=True,
    )


def quote_partner_basket(
    *,
    external_user_id: str | None = None,
    market_ids: Sequence[int] | None = None,
    given: Sequence[int] | None = None,
    stake_kopecks: int | None = None,
    min_shares: int | None = None,
    changes: Sequence[models.BasketChange] | None = None,
    min_net_kopecks: int | None = None,
    outcomes: int | None = None,
) -> Call[models.PartnerBasketQuote]:
    """What a basket of a user of yours would get now.

    Refused as the order would be, but for want of money or shares. The user need not exist yet.

    **Who:** A partner, by its key.

    Errors: `bad_request`, `invalid_external_user_id`, `amount_too_small`, `invalid_partner_key`,
    `trading_off`, `market_not_found`, `market_resolved`, `market_closed`, `market_paused`, `slippage`,
    `market_limit`, `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call(
        "quote_partner_basket",
        "POST",
        "/partner/baskets/quote",
        models.PartnerBasketQuote,
        body=values_given(
            {
                "external_user_id": external_user_id,
                "market_ids": market_ids,
                "given": given,
                "stake_kopecks": stake_kopecks,
                "min_shares": min_shares,
                "changes": changes,
                "min_net_kopecks": min_net_kopecks,
                "outcomes": outcomes,
            }
        ),
    )


def get_partner_basket(id: int) -> Call[models.StoredPartnerBasket]:
    """One basket of a user of yours, as it was answered.

    **Who:** A partner, by its key.

    Errors: `invalid_basket_id`, `invalid_partner_key`, `basket_not_found`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call("get_partner_basket", "GET", path("/partner/baskets/{id}", id=id), models.StoredPartnerBasket)


def list_partner_users(
    *, limit: int | None = None, cursor: str | None = None, q: str | None = None
) -> PageCall[models.PartnerUserPage, models.ListedPartnerUser]:
    """Users of yours, newest first.

    Those with a sub-account: it is made by a user's first bet. With `q`, a page may end early.

    **Who:** A partner, by its key.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `invalid_partner_key`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_partner_users",
        "GET",
        "/partner/users",
        models.PartnerUserPage,
        items=lambda page: page.users,
        query=values_given({"limit": limit, "cursor": cursor, "q": q}),
    )


def get_partner_user(external_user_id: str) -> Call[models.PartnerUser]:
    """A user of yours, with balance and open positions.

    A user who has never bet does not exist yet: `exists` is false. The first bet makes them.

    **Who:** A partner, by its key.

    Errors: `invalid_external_user_id`, `invalid_partner_key`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call(
        "get_partner_user",
        "GET",
        path("/partner/users/{external_user_id}", external_user_id=external_user_id),
        models.PartnerUser,
    )


def get_partner_balance() -> Call[models.PartnerBalance]:
    """Your float and your users' balances.

    **Who:** A partner, by its key.

    Errors: `invalid_partner_key`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("get_partner_balance", "GET", "/partner/balance", models.PartnerBalance)


def withdraw_from_partner_user(
    external_user_id: str, *, amount_kopecks: int, idempotency_key: str | None = None
) -> Call[models.Withdrawal]:
    """Take money from a user's balance back to the float.

    **Who:** A partner, by its key.

    Errors: `bad_request`, `invalid_idempotency_key`, `invalid_external_user_id`, `invalid_partner_key`,
    `insufficient_balance`, `balance_limit`, `payload_too_large`, `unsupported_media_type`,
    `idempotency_key_reused`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "withdraw_from_partner_user",
        "POST",
        path("/partner/users/{external_user_id}/withdraw", external_user_id=external_user_id),
        models.Withdrawal,
        body=values_given({"amount_kopecks": amount_kopecks}),
        idempotency_key=idempotency_key,
        is_idempotent=True,
    )


def list_statement(
    *,
    type: models.PartnerTransactionType | None = None,
    external_user_id: str | None = None,
    from_: datetime | None = None,
    to: datetime | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> PageCall[models.PartnerTransactionPage, models.PartnerTransaction]:
    """Every movement of your money, newest first.

    From the first one on, the changes add up to the float and to the users' balances. With `Accept: text/csv`
    all lines that the filters show, as one file: the same fields, empty for null, a header row first; `limit`
    and `cursor` do not apply. A text that a spreadsheet would run as a formula has an apostrophe before it.

    **Who:** A partner, by its key.

    Errors: `bad_request`, `invalid_external_user_id`, `invalid_limit`, `invalid_cursor`,
    `invalid_partner_key`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_statement",
        "GET",
        "/partner/transactions",
        models.PartnerTransactionPage,
        items=lambda page: page.transactions,
        query=values_given(
            {
                "type": type,
                "external_user_id": external_user_id,
                "from": from_,
                "to": to,
                "limit": limit,
                "cursor": cursor,
            }
        ),
    )


def create_comment(*, event_id: int, content: str, parent_id: int | None = None) -> Call[models.Comment]:
    """Comment on an event, or reply to a comment.

    The author of the comment replied to is notified.

    **Who:** Signed in.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`, `muted`,
    `event_not_found`, `comment_not_found`, `payload_too_large`, `unsupported_media_type`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return Call(
        "create_comment",
        "POST",
        "/comments",
        models.Comment,
        body=values_given({"event_id": event_id, "content": content, "parent_id": parent_id}),
    )


def list_comments(
    event_id: int, *, sort: Literal["new", "top"] | None = None, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.CommentPage, models.Comment]:
    """List the comments on an event.

    Newest first, or those that most like (`sort=top`), without the replies.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `invalid_event_id`, `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`,
    `event_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_comments",
        "GET",
        path("/events/{event_id}/comments", event_id=event_id),
        models.CommentPage,
        items=lambda page: page.comments,
        query=values_given({"sort": sort, "limit": limit, "cursor": cursor}),
    )


def get_comment(comment_id: int) -> Call[models.CommentInThread]:
    """One comment, and the thread in which it stands.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `invalid_comment_id`, `unauthorized`, `comment_not_found`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call("get_comment", "GET", path("/comments/{comment_id}", comment_id=comment_id), models.CommentInThread)


def delete_comment(comment_id: int) -> Call[None]:
    """Delete a comment.

    By its author or an admin. Its content becomes ""; replies stay and more may come.

    **Who:** Signed in.

    Errors: `invalid_comment_id`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `comment_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("delete_comment", "DELETE", path("/comments/{comment_id}", comment_id=comment_id), type(None))


def list_replies(
    comment_id: int, *, limit: int | None = None, offset: int | None = None
) -> PageCall[models.ReplyPage, models.Comment]:
    """List the replies to a comment.

    Direct replies, oldest first. Signed in, `user_reaction` says how you reacted to each.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `invalid_comment_id`, `bad_request`, `invalid_limit`, `invalid_offset`, `unauthorized`,
    `not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_replies",
        "GET",
        path("/comments/{comment_id}/replies", comment_id=comment_id),
        models.ReplyPage,
        items=lambda page: page.comments,
        is_by_offset=True,
        query=values_given({"limit": limit, "offset": offset}),
    )


def react_to_comment(comment_id: int, *, type: models.UserReaction | None) -> Call[models.Comment]:
    """Like or dislike a comment, or take that back.

    **Who:** Signed in.

    Errors: `invalid_comment_id`, `bad_request`, `unauthorized`, `cross_site`, `forbidden`,
    `email_not_verified`, `muted`, `comment_not_found`, `payload_too_large`, `unsupported_media_type`,
    `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "react_to_comment",
        "PUT",
        path("/comments/{comment_id}/reaction", comment_id=comment_id),
        models.Comment,
        body={"type": type},
    )


def hide_comment(comment_id: int, *, hidden: bool, note: str | None = None) -> Call[models.Comment]:
    """Hide a comment, or show it again.

    The content of a hidden comment is "" for all but its author, operators and admins; its place, replies and
    reactions stay.

    **Who:** Signed in, with the role `is_operator` or `is_admin`.

    Errors: `invalid_comment_id`, `bad_request`, `unauthorized`, `cross_site`, `forbidden`,
    `email_not_verified`, `comment_not_found`, `payload_too_large`, `unsupported_media_type`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return Call(
        "hide_comment",
        "PUT",
        path("/admin/comments/{comment_id}/hidden", comment_id=comment_id),
        models.Comment,
        body=values_given({"hidden": hidden, "note": note}),
    )


def set_forecast(
    pool_id: int, *, probabilities: Sequence[float], note: str | None = None, outcomes: int | None = None
) -> Call[models.Forecast]:
    """Say what you think of a pool.

    From its publication to its `finish_at` or first result, paused or before `live_at` too. The same again
    renews it: `since` and a `note` that is left out stay. A muted account has no `note`. At most 60 in 60
    minutes and pool.

    **Who:** Signed in.

    Errors: `invalid_pool_id`, `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `muted`, `pool_not_found`, `market_resolved`, `market_closed`, `slippage`, `payload_too_large`,
    `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "set_forecast",
        "PUT",
        path("/pools/{pool_id}/forecast", pool_id=pool_id),
        models.Forecast,
        body=values_given({"probabilities": probabilities, "note": note, "outcomes": outcomes}),
    )


def delete_forecast(pool_id: int) -> Call[None]:
    """Take back what you think of a pool: nothing of yours stands from now on.

    **Who:** Signed in.

    Errors: `invalid_pool_id`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `pool_not_found`, `market_resolved`, `market_closed`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("delete_forecast", "DELETE", path("/pools/{pool_id}/forecast", pool_id=pool_id), type(None))


def list_pool_forecasts(
    pool_id: int, *, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.PoolForecastPage, models.PublicForecast]:
    """What people think of a pool, and what they think together.

    The crowd is up to 2 s old. While others' forecasts are hidden from you, `mine` alone is shown.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `invalid_pool_id`, `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`,
    `pool_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_pool_forecasts",
        "GET",
        path("/pools/{pool_id}/forecasts", pool_id=pool_id),
        models.PoolForecastPage,
        items=lambda page: page.forecasts,
        query=values_given({"limit": limit, "cursor": cursor}),
    )


def get_crowd_chart(
    pool_id: int, *, range: Literal["1h", "1d", "1w", "1m", "all"] | None = None
) -> Call[models.PoolCharts]:
    """What a pool's crowd thought.

    As the pool's charts, from three forecasters on; with `range`, that chart alone. Empty while it is hidden
    from you.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `invalid_pool_id`, `bad_request`, `unauthorized`, `pool_not_found`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return Call(
        "get_crowd_chart",
        "GET",
        path("/pools/{pool_id}/forecasts/chart", pool_id=pool_id),
        models.PoolCharts,
        query=values_given({"range": range}),
    )


def list_my_forecasts(
    *, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.UserForecastPage, models.UserForecast]:
    """List your forecasts, the last one of each pool.

    Newest first, also those that have ended, with your notes. With `Accept: text/csv` all of them, as one
    file: the same fields, empty for null, a header row first, probabilities with spaces between them; `limit`
    and `cursor` do not apply.

    **Who:** Signed in.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_my_forecasts",
        "GET",
        "/users/me/forecasts",
        models.UserForecastPage,
        items=lambda page: page.forecasts,
        query=values_given({"limit": limit, "cursor": cursor}),
    )


def list_user_forecasts(
    id: int, *, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.UserForecastPage, models.UserForecast]:
    """List a user's forecasts, the last one of each pool.

    Newest first, without what is hidden from you: a page may end early. A hidden profile's are shown to its
    owner and to admins only.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `invalid_user_id`, `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`,
    `user_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_user_forecasts",
        "GET",
        path("/users/{id}/forecasts", id=id),
        models.UserForecastPage,
        items=lambda page: page.forecasts,
        query=values_given({"limit": limit, "cursor": cursor}),
    )


def create_clarification(pool_id: int, *, text: str, text_ru: str | None = None) -> Call[models.Clarification]:
    """Make a pool's rules clearer.

    By its event's creator until its finish_at, by an admin until its result; at most 20 a pool. It stands
    below the rules, which it does not change, and nothing edits it. Who holds shares, has open orders or
    follows the event is notified, of an event once in 60 minutes.

    **Who:** Signed in.

    Errors: `invalid_pool_id`, `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `muted`, `pool_not_found`, `invalid_state`, `too_many_clarifications`, `payload_too_large`,
    `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "create_clarification",
        "POST",
        path("/pools/{pool_id}/clarifications", pool_id=pool_id),
        models.Clarification,
        body=values_given({"text": text, "text_ru": text_ru}),
    )


def list_clarifications(
    pool_id: int, *, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.ClarificationPage, models.Clarification]:
    """List the clarifications of a pool's rules, oldest first.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `invalid_pool_id`, `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`,
    `pool_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_clarifications",
        "GET",
        path("/pools/{pool_id}/clarifications", pool_id=pool_id),
        models.ClarificationPage,
        items=lambda page: page.clarifications,
        query=values_given({"limit": limit, "cursor": cursor}),
    )


def hide_clarification(clarification_id: int, *, hidden: bool, note: str | None = None) -> Call[models.Clarification]:
    """Hide a clarification, or show it again.

    The texts of a hidden one are "" for all but its author, operators and admins; its place stays.

    **Who:** Signed in, with the role `is_operator` or `is_admin`.

    Errors: `invalid_clarification_id`, `bad_request`, `unauthorized`, `cross_site`, `forbidden`,
    `email_not_verified`, `clarification_not_found`, `payload_too_large`, `unsupported_media_type`,
    `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "hide_clarification",
        "PUT",
        path("/admin/clarifications/{clarification_id}/hidden", clarification_id=clarification_id),
        models.Clarification,
        body=values_given({"hidden": hidden, "note": note}),
    )


def create_report(
    *, kind: models.ReportBodyKind, id: int, reason: models.ReportBodyReason, text: str | None = None
) -> Call[models.FiledReport]:
    """Report a comment, an event, a user or an objection.

    Operators see who reports what, and why. At most 20 in 24 hours.

    **Who:** Signed in.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`, `muted`,
    `comment_not_found`, `event_not_found`, `user_not_found`, `objection_not_found`, `payload_too_large`,
    `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "create_report",
        "POST",
        "/reports",
        models.FiledReport,
        body=values_given({"kind": kind, "id": id, "reason": reason, "text": text}),
    )


def list_reports(
    *, open: bool | None = None, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.ReportPage, models.ReportCase]:
    """List what is reported, newest first.

    The open reports of one comment, event, user or objection are one.

    **Who:** Signed in, with the role `is_operator` or `is_admin`.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `forbidden`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_reports",
        "GET",
        "/admin/reports",
        models.ReportPage,
        items=lambda page: page.reports,
        query=values_given({"open": open, "limit": limit, "cursor": cursor}),
    )


def get_waiting() -> Call[models.WhatWaits]:
    """How much waits for operators and admins.

    **Who:** Signed in, with the role `is_operator` or `is_admin`.

    Errors: `unauthorized`, `forbidden`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("get_waiting", "GET", "/admin/waiting", models.WhatWaits)


def close_report(report_id: int, *, note: str | None = None) -> Call[models.ReportCase]:
    """Close a report.

    A later report of the same comment, event or user is another one. Closing it again changes nothing.

    **Who:** Signed in, with the role `is_operator` or `is_admin`.

    Errors: `invalid_report_id`, `bad_request`, `unauthorized`, `cross_site`, `forbidden`,
    `email_not_verified`, `report_not_found`, `payload_too_large`, `unsupported_media_type`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return Call(
        "close_report",
        "POST",
        path("/admin/reports/{report_id}/close", report_id=report_id),
        models.ReportCase,
        body=values_given({"note": note}),
    )


def mute_user(user_id: int, *, until: datetime | None, note: str | None = None) -> Call[models.Muting]:
    """Mute a user until a time, or let them write again.

    Who is muted reads and trades, but writes no comments, reactions or reports, makes no events, and keeps
    name, nickname and avatar: 403 `muted`. Operators and admins are muted by admins only.

    **Who:** Signed in, with the role `is_operator` or `is_admin`.

    Errors: `invalid_user_id`, `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `user_not_found`, `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call(
        "mute_user",
        "PUT",
        path("/admin/users/{user_id}/muted", user_id=user_id),
        models.Muting,
        body={**values_given({"note": note}), "until": until},
    )


def open_chat_session() -> Call[models.ChatSession]:
    """Begin a support chat, or go on with the one you have.

    A new session comes with the cookie `chat_session`, which stands for you while you are not signed in.
    Signing in binds the session to you, under a new cookie value, unless you have an active one already; it
    is then yours on every device. Messages: Oldest first, at most 1000 at a time: ask again with the last id
    as `after` for what follows.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `unauthorized`, `cross_site`, `forbidden`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("open_chat_session", "POST", "/chat/session", models.ChatSession)


def list_chat_messages(*, after: int | None = None) -> Call[models.ChatMessages]:
    """Read your support chat.

    Oldest first, at most 1000 at a time: ask again with the last id as `after` for what follows.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `bad_request`, `unauthorized`, `not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "list_chat_messages", "GET", "/chat/messages", models.ChatMessages, query=values_given({"after": after})
    )


def send_chat_message(*, text: str) -> Call[models.CreatedMessage]:
    """Write to support.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `not_found`, `payload_too_large`,
    `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("send_chat_message", "POST", "/chat/message", models.CreatedMessage, body=values_given({"text": text}))


def call_operator() -> Call[models.OperatorCall]:
    """Call an operator.

    Alerts the support team, once a session; calling again changes nothing.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `unauthorized`, `cross_site`, `forbidden`, `not_found`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call("call_operator", "POST", "/chat/session/call-operator", models.OperatorCall)


def stream_chat(*, last_event_id: str | None = None) -> StreamCall:
    """Follow your support chat live (server-sent events).

    Begins with `{status}`. Then each event is a chat message, whose id is the event's id, or `{status}` when
    that has changed. Past messages come only after a drop: `Last-Event-ID` brings what was missed. Ends after
    the status `closed`.

    **Who:** Signed in or not; a bad or expired token is refused.

    Errors: `bad_request`, `unauthorized`, `not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return StreamCall("stream_chat", "GET", "/chat/stream", StreamEvent, last_event_id=last_event_id)


def list_chat_sessions(
    *, status: models.ChatSessionStatus | None = None, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.SupportSessionPage, models.SupportSession]:
    """List support chats, newest first.

    **Who:** Signed in, with the role `is_operator` or `is_admin`.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `forbidden`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_chat_sessions",
        "GET",
        "/admin/chat/sessions",
        models.SupportSessionPage,
        items=lambda page: page.sessions,
        query=values_given({"status": status, "limit": limit, "cursor": cursor}),
    )


def list_chat_session_messages(session_id: int, *, after: int | None = None) -> Call[models.ChatMessages]:
    """Read a support chat.

    Oldest first, at most 1000 at a time: ask again with the last id as `after` for what follows.

    **Who:** Signed in, with the role `is_operator` or `is_admin`.

    Errors: `invalid_session_id`, `bad_request`, `unauthorized`, `forbidden`, `session_not_found`,
    `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "list_chat_session_messages",
        "GET",
        path("/admin/chat/sessions/{session_id}/messages", session_id=session_id),
        models.ChatMessages,
        query=values_given({"after": after}),
    )


def answer_chat_session(session_id: int, *, text: str) -> Call[models.ChatMessage]:
    """Answer a visitor.

    The session is `answered` from then on. A signed-in visitor is notified.

    **Who:** Signed in, with the role `is_operator` or `is_admin`.

    Errors: `invalid_session_id`, `bad_request`, `unauthorized`, `cross_site`, `forbidden`,
    `email_not_verified`, `session_not_found`, `invalid_state`, `payload_too_large`, `unsupported_media_type`,
    `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "answer_chat_session",
        "POST",
        path("/admin/chat/sessions/{session_id}/messages", session_id=session_id),
        models.ChatMessage,
        body=values_given({"text": text}),
    )


def stream_chat_sessions(*, last_event_id: str | None = None) -> StreamCall:
    """Follow all support chats live (server-sent events).

    Each event is a session that has changed, as the list shows it; others are not sent, so read the list once
    the stream is open. After a drop, `Last-Event-ID` brings what was missed, unless that is very much;
    sessions may come again.

    **Who:** Signed in, with the role `is_operator` or `is_admin`.

    Errors: `bad_request`, `unauthorized`, `forbidden`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return StreamCall("stream_chat_sessions", "GET", "/admin/chat/stream", StreamEvent, last_event_id=last_event_id)


def close_chat_session(session_id: int) -> Call[None]:
    """Close a support chat permanently.

    **Who:** Signed in, with the role `is_operator` or `is_admin`.

    Errors: `invalid_session_id`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `session_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "close_chat_session", "POST", path("/admin/chat/sessions/{session_id}/close", session_id=session_id), type(None)
    )


def list_notifications(
    *, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.NotificationPage, models.Notification]:
    """List your notifications.

    **Who:** Signed in.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_notifications",
        "GET",
        "/notifications",
        models.NotificationPage,
        items=lambda page: page.notifications,
        query=values_given({"limit": limit, "cursor": cursor}),
    )


def get_notification_settings() -> Call[dict[str, models.NotificationChoice]]:
    """What you want to be notified of, by type.

    Keys are all types that a notification has. A type with `app` false is in no list and no count. Mails go
    to a verified address alone: one at once, what comes in the next 15 minutes in one; daily ones at 8 in
    your time zone, if there is news.

    **Who:** Signed in.

    Errors: `unauthorized`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "get_notification_settings", "GET", "/users/me/notification-settings", dict[str, models.NotificationChoice]
    )


def change_notification_settings(
    body: dict[str, models.ChoiceChange | None],
) -> Call[dict[str, models.NotificationChoice]]:
    """Change what you want to be notified of.

    Types that are left out stay as they are; answers all.

    **Who:** Signed in.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `payload_too_large`,
    `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "change_notification_settings",
        "PUT",
        "/users/me/notification-settings",
        dict[str, models.NotificationChoice],
        body=body,
    )


def count_unread_notifications() -> Call[models.NotificationCount]:
    """Count your unread notifications.

    **Who:** Signed in.

    Errors: `unauthorized`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("count_unread_notifications", "GET", "/notifications/unread/count", models.NotificationCount)


def mark_notifications_read(*, ids: Sequence[int] | None = None) -> Call[models.NotificationCount]:
    """Mark notifications as read.

    All of yours, or those of `ids`; unknown ids are ignored. Answers how many were unread.

    **Who:** Signed in.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `payload_too_large`,
    `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "mark_notifications_read",
        "POST",
        "/notifications/read",
        models.NotificationCount,
        body=values_given({"ids": ids}),
    )


def list_attention(
    *, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.AttentionPage, models.AttentionEntry]:
    """List what waits for a person, newest first.

    Pools without a result, those that are overdue too; series whose next instance waits; odds, payments,
    webhooks and mails that fail; events that members suggest; results that someone objects to.

    **Who:** Signed in, with the role `is_operator` or `is_admin`.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `forbidden`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_attention",
        "GET",
        "/admin/attention",
        models.AttentionPage,
        items=lambda page: page.entries,
        query=values_given({"limit": limit, "cursor": cursor}),
    )


def invite_members(*, members: Sequence[models.NewMember], check: bool | None = None) -> Call[models.MemberResults]:
    """Invite people by mail.

    Each gets an invitation of one use for their address alone, good for 30 days, which verifies it. A newer
    one withdraws the older. A site invites at most 2,000 people in a UTC day. Sent again after it was broken
    off, a list goes on: who was invited in the last 7 days is `waiting`.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`, `no_email`,
    `sign_up_closed`, `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call(
        "invite_members",
        "POST",
        "/admin/members",
        models.MemberResults,
        body=values_given({"members": members, "check": check}),
    )


def list_users(
    *,
    limit: int | None = None,
    cursor: str | None = None,
    q: str | None = None,
    role: Literal["creator", "admin", "stats_viewer", "operator"] | None = None,
) -> PageCall[models.UserPage, models.ManagedUser]:
    """All people, newest first.

    With `q` or `role`, a page ends early once it has looked at 20000 people: `has_more` tells. With `Accept:
    text/csv` all that match, as one file: the same fields, and `trades` and `realized_kopecks` of all time; a
    header row first; `limit` and `cursor` do not apply.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `forbidden`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_users",
        "GET",
        "/admin/users",
        models.UserPage,
        items=lambda page: page.users,
        query=values_given({"limit": limit, "cursor": cursor, "q": q, "role": role}),
    )


def update_user(
    user_id: int,
    *,
    is_creator: bool | None = None,
    is_admin: bool | None = None,
    is_stats_viewer: bool | None = None,
    is_operator: bool | None = None,
    is_active: bool | None = None,
    name: str | None = None,
    nickname: str | None = None,
    avatar_url: str | None = None,
) -> Call[models.ManagedUser]:
    """Give and take roles, correct a profile, close an account and open it again.

    An account that is not active has no session and gets none. Its positions are settled.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `invalid_user_id`, `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `user_not_found`, `nickname_taken`, `payload_too_large`, `unsupported_media_type`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return Call(
        "update_user",
        "PATCH",
        path("/admin/users/{user_id}", user_id=user_id),
        models.ManagedUser,
        body=values_given(
            {
                "is_creator": is_creator,
                "is_admin": is_admin,
                "is_stats_viewer": is_stats_viewer,
                "is_operator": is_operator,
                "is_active": is_active,
                "name": name,
                "nickname": nickname,
                "avatar_url": avatar_url,
            }
        ),
    )


def create_reset_link(user_id: int) -> Call[models.IssuedResetLink]:
    """Make a link that sets a new password.

    It works once, within an hour; a newer one or a new password voids it. Where the site's address is not
    set, the link begins with `/`: complete it with the address at which people reach the site.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `invalid_user_id`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `password_off`, `user_not_found`, `invalid_state`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "create_reset_link", "POST", path("/admin/users/{user_id}/reset-link", user_id=user_id), models.IssuedResetLink
    )


def credit_user(
    user_id: int, *, amount_kopecks: int, note: str | None = None, idempotency_key: str | None = None
) -> Call[models.Credit]:
    """Give a user money, or take it back.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `invalid_user_id`, `bad_request`, `invalid_idempotency_key`, `unauthorized`, `cross_site`,
    `forbidden`, `email_not_verified`, `user_not_found`, `insufficient_funds`, `balance_limit`,
    `payload_too_large`, `unsupported_media_type`, `idempotency_key_reused`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call(
        "credit_user",
        "POST",
        path("/admin/users/{user_id}/credit", user_id=user_id),
        models.Credit,
        body=values_given({"amount_kopecks": amount_kopecks, "note": note}),
        idempotency_key=idempotency_key,
        is_idempotent=True,
    )


def list_user_transactions(
    user_id: int, *, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.TransactionPage, models.Transaction]:
    """Every movement of a user's money.

    As the user sees them: newest first, and together the balance.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `invalid_user_id`, `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `forbidden`,
    `user_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_user_transactions",
        "GET",
        path("/admin/users/{user_id}/transactions", user_id=user_id),
        models.TransactionPage,
        items=lambda page: page.transactions,
        query=values_given({"limit": limit, "cursor": cursor}),
    )


def list_admin_log(
    *, limit: int | None = None, cursor: str | None = None, action: str | None = None, target: str | None = None
) -> PageCall[models.AdminLogPage, models.AdminLogEntry]:
    """What admins did, newest first.

    Whatever was done on the command line stands here too. Entries never change or go away.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `forbidden`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_admin_log",
        "GET",
        "/admin/log",
        models.AdminLogPage,
        items=lambda page: page.entries,
        query=values_given({"limit": limit, "cursor": cursor, "action": action, "target": target}),
    )


def get_stats(*, days: int | None = None) -> Call[models.Stats]:
    """Figures of the service, in total and by UTC day.

    Days without anything are listed too, from the first on which something happened.

    **Who:** Signed in, with the role `is_stats_viewer`.

    Errors: `bad_request`, `unauthorized`, `forbidden`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("get_stats", "GET", "/admin/stats", models.Stats, query=values_given({"days": days}))


def create_invitation(
    *,
    uses: int,
    expires_at: datetime | None = None,
    credit_kopecks: int | None = None,
    creator: bool | None = None,
    note: str | None = None,
) -> Call[models.IssuedInvitation]:
    """Invite people.

    The link is shown in this answer and never again. People who open it may make accounts, `uses` of them,
    also where there is no other way in. Where the site's address is not set, it begins with `/`: complete it
    with the address at which people reach the site.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "create_invitation",
        "POST",
        "/admin/invitations",
        models.IssuedInvitation,
        body=values_given(
            {"uses": uses, "expires_at": expires_at, "credit_kopecks": credit_kopecks, "creator": creator, "note": note}
        ),
    )


def list_invitations(
    *, email: bool | None = None, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.InvitationPage, models.Invitation]:
    """All invitations, newest first.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `forbidden`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_invitations",
        "GET",
        "/admin/invitations",
        models.InvitationPage,
        items=lambda page: page.invitations,
        query=values_given({"email": email, "limit": limit, "cursor": cursor}),
    )


def get_invitation(*, token: str) -> Call[models.InvitationOffer]:
    """What an invitation offers.

    For the page that its link opens. Nothing is counted; the same holds when an account is made with it,
    unless it is used up or withdrawn meanwhile. An address that had a grant before gets none again.

    **Who:** Public: credentials are not looked at.

    Errors: `bad_request`, `invitation_used`, `payload_too_large`, `unsupported_media_type`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return Call(
        "get_invitation", "POST", "/auth/invitation", models.InvitationOffer, body=values_given({"token": token})
    )


def withdraw_invitation(invitation_id: int) -> Call[models.Invitation]:
    """Withdraw an invitation.

    No account is made with it any more; those that were stay. Again, that changes nothing.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `invalid_invitation_id`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `invitation_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "withdraw_invitation",
        "DELETE",
        path("/admin/invitations/{invitation_id}", invitation_id=invitation_id),
        models.Invitation,
    )


def list_partners(
    *, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.PartnerPage, models.PartnerOverview]:
    """All partners, newest first.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `forbidden`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_partners",
        "GET",
        "/admin/partners",
        models.PartnerPage,
        items=lambda page: page.partners,
        query=values_given({"limit": limit, "cursor": cursor}),
    )


def create_partner(*, name: str) -> Call[models.IssuedPartner]:
    """Make a partner with its first key.

    The key is shown in this answer and never again.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`, `name_taken`,
    `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("create_partner", "POST", "/admin/partners", models.IssuedPartner, body=values_given({"name": name}))


def list_partner_keys(partner_name: str) -> Call[models.PartnerKeys]:
    """A partner's live keys.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `unauthorized`, `forbidden`, `partner_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "list_partner_keys",
        "GET",
        path("/admin/partners/{partner_name}/keys", partner_name=partner_name),
        models.PartnerKeys,
    )


def create_partner_key(partner_name: str) -> Call[models.NewPartnerKey]:
    """Issue a further key.

    The key is shown in this answer and never again. To rotate: issue, switch over, revoke.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`, `partner_not_found`,
    `too_many_keys`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "create_partner_key",
        "POST",
        path("/admin/partners/{partner_name}/keys", partner_name=partner_name),
        models.NewPartnerKey,
    )


def revoke_partner_key(partner_name: str, key_id: int) -> Call[None]:
    """Revoke a key permanently.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `invalid_key_id`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `partner_not_found`, `key_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "revoke_partner_key",
        "DELETE",
        path("/admin/partners/{partner_name}/keys/{key_id}", partner_name=partner_name, key_id=key_id),
        type(None),
    )


def list_partner_statement(
    partner_name: str,
    *,
    type: models.PartnerTransactionType | None = None,
    external_user_id: str | None = None,
    from_: datetime | None = None,
    to: datetime | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> PageCall[models.PartnerTransactionPage, models.PartnerTransaction]:
    """Every movement of a partner's money, newest first.

    As the partner sees them. With `Accept: text/csv` all lines that the filters show, as one file: the same
    fields, empty for null, a header row first; `limit` and `cursor` do not apply. A text that a spreadsheet
    would run as a formula has an apostrophe before it.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `bad_request`, `invalid_external_user_id`, `invalid_limit`, `invalid_cursor`, `unauthorized`,
    `forbidden`, `partner_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_partner_statement",
        "GET",
        path("/admin/partners/{partner_name}/transactions", partner_name=partner_name),
        models.PartnerTransactionPage,
        items=lambda page: page.transactions,
        query=values_given(
            {
                "type": type,
                "external_user_id": external_user_id,
                "from": from_,
                "to": to,
                "limit": limit,
                "cursor": cursor,
            }
        ),
    )


def deposit_to_partner(
    partner_name: str, *, amount_kopecks: int, idempotency_key: str | None = None
) -> Call[models.FloatChange]:
    """Put money on a partner's float.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `bad_request`, `invalid_idempotency_key`, `unauthorized`, `cross_site`, `forbidden`,
    `email_not_verified`, `partner_not_found`, `balance_limit`, `payload_too_large`, `unsupported_media_type`,
    `idempotency_key_reused`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "deposit_to_partner",
        "POST",
        path("/admin/partners/{partner_name}/deposit", partner_name=partner_name),
        models.FloatChange,
        body=values_given({"amount_kopecks": amount_kopecks}),
        idempotency_key=idempotency_key,
        is_idempotent=True,
    )


def pay_out_partner(
    partner_name: str, *, amount_kopecks: int, idempotency_key: str | None = None
) -> Call[models.FloatChange]:
    """Take money from a partner's float.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `bad_request`, `invalid_idempotency_key`, `unauthorized`, `cross_site`, `forbidden`,
    `email_not_verified`, `partner_not_found`, `insufficient_funds`, `payload_too_large`,
    `unsupported_media_type`, `idempotency_key_reused`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "pay_out_partner",
        "POST",
        path("/admin/partners/{partner_name}/payout", partner_name=partner_name),
        models.FloatChange,
        body=values_given({"amount_kopecks": amount_kopecks}),
        idempotency_key=idempotency_key,
        is_idempotent=True,
    )


def get_upkeep() -> Call[models.Upkeep]:
    """The newest backup, and whether the site sends to partners and alert channels.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `unauthorized`, `forbidden`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("get_upkeep", "GET", "/admin/upkeep", models.Upkeep)


def confirm_site() -> Call[None]:
    """Say that this database is the site: what waits for partners and alert channels goes out.

    For one that was restored, copied or moved. Again, that changes nothing.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`, `invalid_state`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return Call("confirm_site", "POST", "/admin/upkeep/confirm", type(None))


def set_partner_webhook(partner_name: str, *, url: str) -> Call[models.IssuedWebhook]:
    """Set or remove a partner's webhook.

    Each line of the statement (`partner.transaction`), each result that can be corrected (`pool.decided`) and
    each resolved pool (`pool.resolved`) is posted to it from now on, in order, at least once, signed as
    Standard Webhooks says. The secret is shown in this answer and never again. Setting it again gives a new
    one; for 24 h both sign. docs/partners.md has an example.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `partner_not_found`, `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call(
        "set_partner_webhook",
        "PUT",
        path("/admin/partners/{partner_name}/webhook", partner_name=partner_name),
        models.IssuedWebhook,
        body=values_given({"url": url}),
    )


def get_partner_webhook(partner_name: str) -> Call[models.WebhookState]:
    """How the deliveries of a partner's webhook go.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `unauthorized`, `forbidden`, `partner_not_found`, `webhook_not_found`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return Call(
        "get_partner_webhook",
        "GET",
        path("/admin/partners/{partner_name}/webhook", partner_name=partner_name),
        models.WebhookState,
    )


def send_partner_webhook_test(partner_name: str) -> Call[models.WebhookTest]:
    """Post a test message to a partner's webhook, now.

    A message of the type `webhook.test`, signed like all others.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`, `partner_not_found`,
    `webhook_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "send_partner_webhook_test",
        "POST",
        path("/admin/partners/{partner_name}/webhook/test", partner_name=partner_name),
        models.WebhookTest,
    )


def set_webhook(*, url: str) -> Call[models.IssuedWebhook]:
    """Set or remove your webhook.

    Each line of your statement (`partner.transaction`), each result that can be corrected (`pool.decided`)
    and each resolved pool (`pool.resolved`) is posted to it from now on, in order, at least once, signed as
    Standard Webhooks says. The secret is shown in this answer and never again. Setting it again gives a new
    one; for 24 h both sign. docs/partners.md has an example.

    **Who:** A partner, by its key.

    Errors: `bad_request`, `invalid_partner_key`, `payload_too_large`, `unsupported_media_type`,
    `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("set_webhook", "PUT", "/partner/webhook", models.IssuedWebhook, body=values_given({"url": url}))


def get_webhook() -> Call[models.WebhookState]:
    """How the deliveries of your webhook go.

    **Who:** A partner, by its key.

    Errors: `invalid_partner_key`, `webhook_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("get_webhook", "GET", "/partner/webhook", models.WebhookState)


def delete_webhook() -> Call[None]:
    """Remove your webhook with what waits for it.

    Done twice, it changes nothing more.

    **Who:** A partner, by its key.

    Errors: `invalid_partner_key`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("delete_webhook", "DELETE", "/partner/webhook", type(None))


def send_webhook_test() -> Call[models.WebhookTest]:
    """Post a test message to your webhook, now.

    A message of the type `webhook.test`, signed like all others.

    **Who:** A partner, by its key.

    Errors: `invalid_partner_key`, `webhook_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("send_webhook_test", "POST", "/partner/webhook/test", models.WebhookTest)


def resend_transactions(*, after_id: int) -> Call[models.Resend]:
    """Post lines of your statement once more.

    All that come after one of them, or all with 0, in order, each with the `webhook-id` that it had. New
    messages are posted in between. One resend at a time: the next is refused until this one is done.

    **Who:** A partner, by its key.

    Errors: `bad_request`, `invalid_partner_key`, `webhook_not_found`, `transaction_not_found`,
    `invalid_state`, `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call(
        "resend_transactions",
        "POST",
        "/partner/webhook/resend",
        models.Resend,
        body=values_given({"after_id": after_id}),
    )


def get_site_settings() -> Call[models.SiteSettings]:
    """The site's settings as they count on every server, with what sets each.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `unauthorized`, `forbidden`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("get_site_settings", "GET", "/admin/settings", models.SiteSettings)


def change_site_settings(*, version: int, changes: dict[str, Any]) -> Call[models.SiteSettings]:
    """Change settings of the site, all or none; answers all.

    They hold on every server within a second, for what comes. All other admins are notified.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `set_by_environment`, `invalid_state`,
    `email_not_verified`, `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call(
        "change_site_settings",
        "PATCH",
        "/admin/settings",
        models.SiteSettings,
        body=values_given({"version": version, "changes": changes}),
    )


def set_logo(body: bytes) -> Call[models.StoredPicture]:
    """Give the site a logo, or another one.

    PNG or WebP with sides of 16 to 1,024 pixels. It is drawn again: kept are its pixels, upright, in sRGB,
    and of an animation the first frame. It goes before the folder's, on every server within a second.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `invalid_image`, `unauthorized`, `cross_site`, `forbidden`, `payload_too_large`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return Call("set_logo", "PUT", "/admin/looks/logo", models.StoredPicture, content=body)


def delete_logo() -> Call[None]:
    """Delete the stored logo; again, that changes nothing.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `unauthorized`, `cross_site`, `forbidden`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("delete_logo", "DELETE", "/admin/looks/logo", type(None))


def set_icon(body: bytes) -> Call[models.StoredPicture]:
    """Give the site an icon for tabs and home screens, or another one.

    A square. PNG or WebP with sides of 16 to 1,024 pixels. It is drawn again: kept are its pixels, upright,
    in sRGB, and of an animation the first frame. It goes before the folder's, on every server within a
    second.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `invalid_image`, `unauthorized`, `cross_site`, `forbidden`, `payload_too_large`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return Call("set_icon", "PUT", "/admin/looks/icon", models.StoredPicture, content=body)


def delete_icon() -> Call[None]:
    """Delete the stored icon; again, that changes nothing.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `unauthorized`, `cross_site`, `forbidden`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("delete_icon", "DELETE", "/admin/looks/icon", type(None))


def set_theme(*, accent_light: str, accent_dark: str) -> Call[None]:
    """Give the site colours of its own; their contrast to the pages' grounds is 4.5 at least.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `payload_too_large`,
    `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "set_theme",
        "PUT",
        "/admin/looks/theme",
        type(None),
        body=values_given({"accent_light": accent_light, "accent_dark": accent_dark}),
    )


def delete_theme() -> Call[None]:
    """Delete the stored colours; again, that changes nothing.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `unauthorized`, `cross_site`, `forbidden`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("delete_theme", "DELETE", "/admin/looks/theme", type(None))


def get_page_source(name: Literal["about", "rules", "terms", "privacy"]) -> Call[models.PageSource]:
    """A page of the site's own as Markdown, as an admin has stored it.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `unauthorized`, `forbidden`, `not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("get_page_source", "GET", path("/admin/looks/pages/{name}", name=name), models.PageSource)


def set_page_source(
    name: Literal["about", "rules", "terms", "privacy"], *, lang: models.Lang, markdown: str
) -> Call[None]:
    """Store a page of the site's own in one language.

    A page with a stored language is no longer the folder's. Changed terms are a new version, to which
    newcomers agree from then on; what others agreed to is kept. The version is the text's: put back, it has
    the one that it had.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `not_found`, `payload_too_large`,
    `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "set_page_source",
        "PUT",
        path("/admin/looks/pages/{name}", name=name),
        type(None),
        body=values_given({"lang": lang, "markdown": markdown}),
    )


def delete_page_source(name: Literal["about", "rules", "terms", "privacy"], *, lang: models.Lang) -> Call[None]:
    """Delete the stored text of a page in one language; again, that changes nothing.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `not_found`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return Call(
        "delete_page_source",
        "DELETE",
        path("/admin/looks/pages/{name}", name=name),
        type(None),
        query=values_given({"lang": lang}),
    )


def get_first_hour() -> Call[models.FirstHour]:
    """The first steps of a new site, and which of them are done.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `unauthorized`, `forbidden`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("get_first_hour", "GET", "/admin/first-hour", models.FirstHour)


def end_first_hour() -> Call[None]:
    """Put the first steps away for all admins. Again, that changes nothing.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call("end_first_hour", "DELETE", "/admin/first-hour", type(None))


def set_event_image(event_id: int, body: bytes) -> Call[models.StoredImage]:
    """Give an event a cover image, or another one.

    By its creator or an admin. A PNG, JPEG or WebP image of at most 25000000 pixels and 16383 a side; it is
    stored without metadata, upright, in sRGB, and of an animation only its first frame; `?w=160|640|1280` of
    its address gives smaller WebP sizes. The image it replaces is deleted. An account uploads one at a time:
    429 while another comes in.

    **Who:** Signed in.

    Errors: `invalid_event_id`, `invalid_image`, `unauthorized`, `cross_site`, `forbidden`,
    `email_not_verified`, `muted`, `event_not_found`, `payload_too_large`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return Call(
        "set_event_image", "PUT", path("/events/{event_id}/image", event_id=event_id), models.StoredImage, content=body
    )


def delete_event_image(event_id: int) -> Call[None]:
    """Delete an event's cover image.

    By its creator or an admin. `image_url` becomes ""; an uploaded image leaves the storage.

    **Who:** Signed in.

    Errors: `invalid_event_id`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `event_not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("delete_event_image", "DELETE", path("/events/{event_id}/image", event_id=event_id), type(None))


def set_my_avatar(body: bytes) -> Call[models.User]:
    """Give yourself an avatar, or another one.

    A PNG, JPEG or WebP image of at most 25000000 pixels and 16383 a side; it is stored without metadata,
    upright, in sRGB, and of an animation only its first frame; `?w=160|640|1280` of its address gives smaller
    WebP sizes. The image it replaces is deleted. An account uploads one at a time: 429 while another comes
    in. `PATCH /users/me` `{"avatar_url": ""}` takes it away.

    **Who:** Signed in.

    Errors: `invalid_image`, `unauthorized`, `cross_site`, `forbidden`, `muted`, `payload_too_large`,
    `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("set_my_avatar", "PUT", "/users/me/avatar", models.User, content=body)


def list_assets(*, limit: int | None = None, cursor: str | None = None) -> PageCall[models.AssetPage, models.Asset]:
    """List assets, newest first.

    **Who:** Public: credentials are not looked at.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_assets",
        "GET",
        "/assets",
        models.AssetPage,
        items=lambda page: page.assets,
        query=values_given({"limit": limit, "cursor": cursor}),
    )


def get_asset_price(symbol: str) -> Call[models.Asset]:
    """An asset with its price.

    `price_updated_at` tells how old the price is: while no provider answers, it stays.

    **Who:** Public: credentials are not looked at.

    Errors: `not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call("get_asset_price", "GET", path("/assets/{symbol}/price", symbol=symbol), models.Asset)


def list_asset_prices(
    symbol: str, *, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.PricePage, models.PriceObservation]:
    """Past prices of an asset, newest first.

    Every price that a provider returned or an admin set, in the order in which they were recorded, for 30
    days or more. Prices that never became the asset's, for want of priority, are among them.

    **Who:** Public: credentials are not looked at.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `not_found`, `rate_limited`, `internal_error`,
    `unavailable`.
    """
    return PageCall(
        "list_asset_prices",
        "GET",
        path("/assets/{symbol}/prices", symbol=symbol),
        models.PricePage,
        items=lambda page: page.prices,
        query=values_given({"limit": limit, "cursor": cursor}),
    )


def get_currency_rate(*, from_: str, to: str) -> Call[models.CurrencyRate]:
    """What one unit of a currency is worth in another.

    As given, inverted, or across a currency that both are given against (of several the first by code). The
    header `Last-Modified` tells how old the rate is.

    **Who:** Public: credentials are not looked at.

    Errors: `bad_request`, `not_found`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "get_currency_rate", "GET", "/currency/rate", models.CurrencyRate, query=values_given({"from": from_, "to": to})
    )


def set_asset(symbol: str, *, name: str, asset_type: str, price: float) -> Call[models.Asset]:
    """Set an asset and its price.

    It holds against providers for the time of FOREKNOW_ADMIN_PRICE_HOURS.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "set_asset",
        "PUT",
        path("/admin/assets/{symbol}", symbol=symbol),
        models.Asset,
        body=values_given({"name": name, "asset_type": asset_type, "price": price}),
    )


def list_currency_rates(
    *, limit: int | None = None, cursor: str | None = None
) -> PageCall[models.StoredRatePage, models.StoredRate]:
    """List the rates of currencies, by their codes.

    As they were given: the inverse and rates across a common currency follow from them.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `bad_request`, `invalid_limit`, `invalid_cursor`, `unauthorized`, `forbidden`, `rate_limited`,
    `internal_error`, `unavailable`.
    """
    return PageCall(
        "list_currency_rates",
        "GET",
        "/admin/currency-rates",
        models.StoredRatePage,
        items=lambda page: page.rates,
        query=values_given({"limit": limit, "cursor": cursor}),
    )


def set_currency_rate(*, from_: str, to: str, rate: float) -> Call[models.CurrencyRate]:
    """Set the rate of two currencies.

    In place of its inverse, too. It holds against providers for the time of FOREKNOW_ADMIN_PRICE_HOURS.

    **Who:** Signed in, with the role `is_admin`.

    Errors: `bad_request`, `unauthorized`, `cross_site`, `forbidden`, `email_not_verified`,
    `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`, `unavailable`.
    """
    return Call(
        "set_currency_rate",
        "PUT",
        "/admin/currency-rates",
        models.CurrencyRate,
        body=values_given({"from": from_, "to": to, "rate": rate}),
    )


class SyncMethods:
    """Methods that wait for the answer."""

    get_health = sync_method(endpoints.get_health)
    get_readiness = sync_method(endpoints.get_readiness)
    get_site = sync_method(endpoints.get_site)
    get_site_text = sync_method(endpoints.get_site_text)
    sign_up = sync_method(endpoints.sign_up)
    create_first_admin = sync_method(endpoints.create_first_admin)
    sign_in = sync_method(endpoints.sign_in)
    refresh_session = sync_method(endpoints.refresh_session)
    sign_out = sync_method(endpoints.sign_out)
    get_me = sync_method(endpoints.get_me)
    update_me = sync_method(endpoints.update_me)
    change_password = sync_method(endpoints.change_password)
    reset_password = sync_method(endpoints.reset_password)
    change_email = sync_method(endpoints.change_email)
    send_verification = sync_method(endpoints.send_verification)
    confirm_email = sync_method(endpoints.confirm_email)
    request_reset = sync_method(endpoints.request_reset)
    list_my_sessions = sync_method(endpoints.list_my_sessions)
    iter_my_sessions = sync_items(endpoints.list_my_sessions)
    end_my_sessions = sync_method(endpoints.end_my_sessions)
    end_my_session = sync_method(endpoints.end_my_session)
    create_my_key = sync_method(endpoints.create_my_key)
    list_my_keys = sync_method(endpoints.list_my_keys)
    revoke_my_key = sync_method(endpoints.revoke_my_key)
    get_my_data = sync_method(endpoints.get_my_data)
    delete_my_account = sync_method(endpoints.delete_my_account)
    delete_user = sync_method(endpoints.delete_user)
    start_oauth = sync_method(endpoints.start_oauth)
    finish_oauth = sync_method(endpoints.finish_oauth)
    create_event = sync_method(endpoints.create_event)
    create_event_from_template = sync_method(endpoints.create_event_from_template)
    list_events = sync_method(endpoints.list_events)
    iter_events = sync_items(endpoints.list_events)
    get_event = sync_method(endpoints.get_event)
    update_event = sync_method(endpoints.update_event)
    publish_event = sync_method(endpoints.publish_event)
    list_cards = sync_method(endpoints.list_cards)
    iter_cards = sync_items(endpoints.list_cards)
    list_tags = sync_method(endpoints.list_tags)
    follow_event = sync_method(endpoints.follow_event)
    unfollow_event = sync_method(endpoints.unfollow_event)
    follow_user = sync_method(endpoints.follow_user)
    unfollow_user = sync_method(endpoints.unfollow_user)
    follow_tag = sync_method(endpoints.follow_tag)
    unfollow_tag = sync_method(endpoints.unfollow_tag)
    get_following = sync_method(endpoints.get_following)
    set_price_alert = sync_method(endpoints.set_price_alert)
    delete_price_alert = sync_method(endpoints.delete_price_alert)
    list_price_alerts = sync_method(endpoints.list_price_alerts)
    get_track_record = sync_method(endpoints.get_track_record)
    get_record_of_user = sync_method(endpoints.get_record_of_user)
    get_event_details = sync_method(endpoints.get_event_details)
    list_holders = sync_method(endpoints.list_holders)
    get_user = sync_method(endpoints.get_user)
    list_leaders = sync_method(endpoints.list_leaders)
    iter_leaders = sync_items(endpoints.list_leaders)
    get_own_board = sync_method(endpoints.get_own_board)
    iter_get_own_board = sync_items(endpoints.get_own_board)
    add_liquidity = sync_method(endpoints.add_liquidity)
    update_pool = sync_method(endpoints.update_pool)
    get_pool = sync_method(endpoints.get_pool)
    get_series = sync_method(endpoints.get_series)
    update_series = sync_method(endpoints.update_series)
    stop_series = sync_method(endpoints.stop_series)
    resume_series = sync_method(endpoints.resume_series)
    get_pools = sync_method(endpoints.get_pools)
    pause_pool = sync_method(endpoints.pause_pool)
    resume_pool = sync_method(endpoints.resume_pool)
    get_market = sync_method(endpoints.get_market)
    get_pool_charts = sync_method(endpoints.get_pool_charts)
    get_market_chart = sync_method(endpoints.get_market_chart)
    resolve_pool = sync_method(endpoints.resolve_pool)
    cancel_event = sync_method(endpoints.cancel_event)
    create_objection = sync_method(endpoints.create_objection)
    list_objections = sync_method(endpoints.list_objections)
    iter_objections = sync_items(endpoints.list_objections)
    create_partner_objection = sync_method(endpoints.create_partner_objection)
    confirm_pool = sync_method(endpoints.confirm_pool)
    list_objected_results = sync_method(endpoints.list_objected_results)
    iter_objected_results = sync_items(endpoints.list_objected_results)
    hide_objection = sync_method(endpoints.hide_objection)
    add_outcome = sync_method(endpoints.add_outcome)
    get_event_odds = sync_method(endpoints.get_event_odds)
    place_bet = sync_method(endpoints.place_bet)
    sell_shares = sync_method(endpoints.sell_shares)
    quote_order = sync_method(endpoints.quote_order)
    place_order = sync_method(endpoints.place_order)
    list_orders = sync_method(endpoints.list_orders)
    iter_orders = sync_items(endpoints.list_orders)
    get_order = sync_method(endpoints.get_order)
    cancel_order = sync_method(endpoints.cancel_order)
    list_order_fills = sync_method(endpoints.list_order_fills)
    iter_order_fills = sync_items(endpoints.list_order_fills)
    cancel_orders = sync_method(endpoints.cancel_orders)
    place_basket = sync_method(endpoints.place_basket)
    quote_basket = sync_method(endpoints.quote_basket)
    get_basket = sync_method(endpoints.get_basket)
    get_orderbook = sync_method(endpoints.get_orderbook)
    list_event_trades = sync_method(endpoints.list_event_trades)
    iter_event_trades = sync_items(endpoints.list_event_trades)
    list_my_trades = sync_method(endpoints.list_my_trades)
    iter_my_trades = sync_items(endpoints.list_my_trades)
    list_user_trades = sync_method(endpoints.list_user_trades)
    iter_user_trades = sync_items(endpoints.list_user_trades)
    list_my_held_positions = sync_method(endpoints.list_my_held_positions)
    iter_my_held_positions = sync_items(endpoints.list_my_held_positions)
    list_my_completed_positions = sync_method(endpoints.list_my_completed_positions)
    iter_my_completed_positions = sync_items(endpoints.list_my_completed_positions)
    get_my_pnl_chart = sync_method(endpoints.get_my_pnl_chart)
    get_user_pnl_chart = sync_method(endpoints.get_user_pnl_chart)
    list_my_positions = sync_method(endpoints.list_my_positions)
    iter_my_positions = sync_items(endpoints.list_my_positions)
    get_my_portfolio = sync_method(endpoints.get_my_portfolio)
    get_my_worth = sync_method(endpoints.get_my_worth)
    list_my_transactions = sync_method(endpoints.list_my_transactions)
    iter_my_transactions = sync_items(endpoints.list_my_transactions)
    get_my_allowance = sync_method(endpoints.get_my_allowance)
    place_partner_bet = sync_method(endpoints.place_partner_bet)
    sell_partner_shares = sync_method(endpoints.sell_partner_shares)
    quote_partner_order = sync_method(endpoints.quote_partner_order)
    place_partner_order = sync_method(endpoints.place_partner_order)
    list_partner_orders = sync_method(endpoints.list_partner_orders)
    iter_partner_orders = sync_items(endpoints.list_partner_orders)
    get_partner_order = sync_method(endpoints.get_partner_order)
    cancel_partner_order = sync_method(endpoints.cancel_partner_order)
    list_partner_order_fills = sync_method(endpoints.list_partner_order_fills)
    iter_partner_order_fills = sync_items(endpoints.list_partner_order_fills)
    cancel_partner_orders = sync_method(endpoints.cancel_partner_orders)
    place_partner_basket = sync_method(endpoints.place_partner_basket)
    quote_partner_basket = sync_method(endpoints.quote_partner_basket)
    get_partner_basket = sync_method(endpoints.get_partner_basket)
    list_partner_users = sync_method(endpoints.list_partner_users)
    iter_partner_users = sync_items(endpoints.list_partner_users)
    get_partner_user = sync_method(endpoints.get_partner_user)
    get_partner_balance = sync_method(endpoints.get_partner_balance)
    withdraw_from_partner_user = sync_method(endpoints.withdraw_from_partner_user)
    list_statement = sync_method(endpoints.list_statement)
    iter_statement = sync_items(endpoints.list_statement)
    create_comment = sync_method(endpoints.create_comment)
    list_comments = sync_method(endpoints.list_comments)
    iter_comments = sync_items(endpoints.list_comments)
    get_comment = sync_method(endpoints.get_comment)
    delete_comment = sync_method(endpoints.delete_comment)
    list_replies = sync_method(endpoints.list_replies)
    iter_replies = sync_items(endpoints.list_replies)
    react_to_comment = sync_method(endpoints.react_to_comment)
    hide_comment = sync_method(endpoints.hide_comment)
    set_forecast = sync_method(endpoints.set_forecast)
    delete_forecast = sync_method(endpoints.delete_forecast)
    list_pool_forecasts = sync_method(endpoints.list_pool_forecasts)
    iter_pool_forecasts = sync_items(endpoints.list_pool_forecasts)
    get_crowd_chart = sync_method(endpoints.get_crowd_chart)
    list_my_forecasts = sync_method(endpoints.list_my_forecasts)
    iter_my_forecasts = sync_items(endpoints.list_my_forecasts)
    list_user_forecasts = sync_method(endpoints.list_user_forecasts)
    iter_user_forecasts = sync_items(endpoints.list_user_forecasts)
    create_clarification = sync_method(endpoints.create_clarification)
    list_clarifications = sync_method(endpoints.list_clarifications)
    iter_clarifications = sync_items(endpoints.list_clarifications)
    hide_clarification = sync_method(endpoints.hide_clarification)
    create_report = sync_method(endpoints.create_report)
    list_reports = sync_method(endpoints.list_reports)
    iter_reports = sync_items(endpoints.list_reports)
    get_waiting = sync_method(endpoints.get_waiting)
    close_report = sync_method(endpoints.close_report)
    mute_user = sync_method(endpoints.mute_user)
    open_chat_session = sync_method(endpoints.open_chat_session)
    list_chat_messages = sync_method(endpoints.list_chat_messages)
    send_chat_message = sync_method(endpoints.send_chat_message)
    call_operator = sync_method(endpoints.call_operator)
    stream_chat = sync_stream(endpoints.stream_chat)
    list_chat_sessions = sync_method(endpoints.list_chat_sessions)
    iter_chat_sessions = sync_items(endpoints.list_chat_sessions)
    list_chat_session_messages = sync_method(endpoints.list_chat_session_messages)
    answer_chat_session = sync_method(endpoints.answer_chat_session)
    stream_chat_sessions = sync_stream(endpoints.stream_chat_sessions)
    close_chat_session = sync_method(endpoints.close_chat_session)
    list_notifications = sync_method(endpoints.list_notifications)
    iter_notifications = sync_items(endpoints.list_notifications)
    get_notification_settings = sync_method(endpoints.get_notification_settings)
    change_notification_settings = sync_method(endpoints.change_notification_settings)
    count_unread_notifications = sync_method(endpoints.count_unread_notifications)
    mark_notifications_read = sync_method(endpoints.mark_notifications_read)
    list_attention = sync_method(endpoints.list_attention)
    iter_attention = sync_items(endpoints.list_attention)
    invite_members = sync_method(endpoints.invite_members)
    list_users = sync_method(endpoints.list_users)
    iter_users = sync_items(endpoints.list_users)
    update_user = sync_method(endpoints.update_user)
    create_reset_link = sync_method(endpoints.create_reset_link)
    credit_user = sync_method(endpoints.credit_user)
    list_user_transactions = sync_method(endpoints.list_user_transactions)
    iter_user_transactions = sync_items(endpoints.list_user_transactions)
    list_admin_log = sync_method(endpoints.list_admin_log)
    iter_admin_log = sync_items(endpoints.list_admin_log)
    get_stats = sync_method(endpoints.get_stats)
    create_invitation = sync_method(endpoints.create_invitation)
    list_invitations = sync_method(endpoints.list_invitations)
    iter_invitations = sync_items(endpoints.list_invitations)
    get_invitation = sync_method(endpoints.get_invitation)
    withdraw_invitation = sync_method(endpoints.withdraw_invitation)
    list_partners = sync_method(endpoints.list_partners)
    iter_partners = sync_items(endpoints.list_partners)
    create_partner = sync_method(endpoints.create_partner)
    list_partner_keys = sync_method(endpoints.list_partner_keys)
    create_partner_key = sync_method(endpoints.create_partner_key)
    revoke_partner_key = sync_method(endpoints.revoke_partner_key)
    list_partner_statement = sync_method(endpoints.list_partner_statement)
    iter_partner_statement = sync_items(endpoints.list_partner_statement)
    deposit_to_partner = sync_method(endpoints.deposit_to_partner)
    pay_out_partner = sync_method(endpoints.pay_out_partner)
    get_upkeep = sync_method(endpoints.get_upkeep)
    confirm_site = sync_method(endpoints.confirm_site)
    set_partner_webhook = sync_method(endpoints.set_partner_webhook)
    get_partner_webhook = sync_method(endpoints.get_partner_webhook)
    send_partner_webhook_test = sync_method(endpoints.send_partner_webhook_test)
    set_webhook = sync_method(endpoints.set_webhook)
    get_webhook = sync_method(endpoints.get_webhook)
    delete_webhook = sync_method(endpoints.delete_webhook)
    send_webhook_test = sync_method(endpoints.send_webhook_test)
    resend_transactions = sync_method(endpoints.resend_transactions)
    get_site_settings = sync_method(endpoints.get_site_settings)
    change_site_settings = sync_method(endpoints.change_site_settings)
    set_logo = sync_method(endpoints.set_logo)
    delete_logo = sync_method(endpoints.delete_logo)
    set_icon = sync_method(endpoints.set_icon)
    delete_icon = sync_method(endpoints.delete_icon)
    set_theme = sync_method(endpoints.set_theme)
    delete_theme = sync_method(endpoints.delete_theme)
    get_page_source = sync_method(endpoints.get_page_source)
    set_page_source = sync_method(endpoints.set_page_source)
    delete_page_source = sync_method(endpoints.delete_page_source)
    get_first_hour = sync_method(endpoints.get_first_hour)
    end_first_hour = sync_method(endpoints.end_first_hour)
    set_event_image = sync_method(endpoints.set_event_image)
    delete_event_image = sync_method(endpoints.delete_event_image)
    set_my_avatar = sync_method(endpoints.set_my_avatar)
    list_assets = sync_method(endpoints.list_assets)
    iter_assets = sync_items(endpoints.list_assets)
    get_asset_price = sync_method(endpoints.get_asset_price)
    list_asset_prices = sync_method(endpoints.list_asset_prices)
    iter_asset_prices = sync_items(endpoints.list_asset_prices)
    get_currency_rate = sync_method(endpoints.get_currency_rate)
    set_asset = sync_method(endpoints.set_asset)
    list_currency_rates = sync_method(endpoints.list_currency_rates)
    iter_currency_rates = sync_items(endpoints.list_currency_rates)
    set_currency_rate = sync_method(endpoints.set_currency_rate)


class AsyncMethods:
    """Methods to be awaited."""

    get_health = async_method(endpoints.get_health)
    get_readiness = async_method(endpoints.get_readiness)
    get_site = async_method(endpoints.get_site)
    get_site_text = async_method(endpoints.get_site_text)
    sign_up = async_method(endpoints.sign_up)
    create_first_admin = async_method(endpoints.create_first_admin)
    sign_in = async_method(endpoints.sign_in)
    refresh_session = async_method(endpoints.refresh_session)
    sign_out = async_method(endpoints.sign_out)
    get_me = async_method(endpoints.get_me)
    update_me = async_method(endpoints.update_me)
    change_password = async_method(endpoints.change_password)
    reset_password = async_method(endpoints.reset_password)
    change_email = async_method(endpoints.change_email)
    send_verification = async_method(endpoints.send_verification)
    confirm_email = async_method(endpoints.confirm_email)
    request_reset = async_method(endpoints.request_reset)
    list_my_sessions = async_method(endpoints.list_my_sessions)
    iter_my_sessions = async_items(endpoints.list_my_sessions)
    end_my_sessions = async_method(endpoints.end_my_sessions)
    end_my_session = async_method(endpoints.end_my_session)
    create_my_key = async_method(endpoints.create_my_key)
    list_my_keys = async_method(endpoints.list_my_keys)
    revoke_my_key = async_method(endpoints.revoke_my_key)
    get_my_data = async_method(endpoints.get_my_data)
    delete_my_account = async_method(endpoints.delete_my_account)
    delete_user = async_method(endpoints.delete_user)
    start_oauth = async_method(endpoints.start_oauth)
    finish_oauth = async_method(endpoints.finish_oauth)
    create_event = async_method(endpoints.create_event)
    create_event_from_template = async_method(endpoints.create_event_from_template)
    list_events = async_method(endpoints.list_events)
    iter_events = async_items(endpoints.list_events)
    get_event = async_method(endpoints.get_event)
    update_event = async_method(endpoints.update_event)
    publish_event = async_method(endpoints.publish_event)
    list_cards = async_method(endpoints.list_cards)
    iter_cards = async_items(endpoints.list_cards)
    list_tags = async_method(endpoints.list_tags)
    follow_event = async_method(endpoints.follow_event)
    unfollow_event = async_method(endpoints.unfollow_event)
    follow_user = async_method(endpoints.follow_user)
    unfollow_user = async_method(endpoints.unfollow_user)
    follow_tag = async_method(endpoints.follow_tag)
    unfollow_tag = async_method(endpoints.unfollow_tag)
    get_following = async_method(endpoints.get_following)
    set_price_alert = async_method(endpoints.set_price_alert)
    delete_price_alert = async_method(endpoints.delete_price_alert)
    list_price_alerts = async_method(endpoints.list_price_alerts)
    get_track_record = async_method(endpoints.get_track_record)
    get_record_of_user = async_method(endpoints.get_record_of_user)
    get_event_details = async_method(endpoints.get_event_details)
    list_holders = async_method(endpoints.list_holders)
    get_user = async_method(endpoints.get_user)
    list_leaders = async_method(endpoints.list_leaders)
    iter_leaders = async_items(endpoints.list_leaders)
    get_own_board = async_method(endpoints.get_own_board)
    iter_get_own_board = async_items(endpoints.get_own_board)
    add_liquidity = async_method(endpoints.add_liquidity)
    update_pool = async_method(endpoints.update_pool)
    get_pool = async_method(endpoints.get_pool)
    get_series = async_method(endpoints.get_series)
    update_series = async_method(endpoints.update_series)
    stop_series = async_method(endpoints.stop_series)
    resume_series = async_method(endpoints.resume_series)
    get_pools = async_method(endpoints.get_pools)
    pause_pool = async_method(endpoints.pause_pool)
    resume_pool = async_method(endpoints.resume_pool)
    get_market = async_method(endpoints.get_market)
    get_pool_charts = async_method(endpoints.get_pool_charts)
    get_market_chart = async_method(endpoints.get_market_chart)
    resolve_pool = async_method(endpoints.resolve_pool)
    cancel_event = async_method(endpoints.cancel_event)
    create_objection = async_method(endpoints.create_objection)
    list_objections = async_method(endpoints.list_objections)
    iter_objections = async_items(endpoints.list_objections)
    create_partner_objection = async_method(endpoints.create_partner_objection)
    confirm_pool = async_method(endpoints.confirm_pool)
    list_objected_results = async_method(endpoints.list_objected_results)
    iter_objected_results = async_items(endpoints.list_objected_results)
    hide_objection = async_method(endpoints.hide_objection)
    add_outcome = async_method(endpoints.add_outcome)
    get_event_odds = async_method(endpoints.get_event_odds)
    place_bet = async_method(endpoints.place_bet)
    sell_shares = async_method(endpoints.sell_shares)
    quote_order = async_method(endpoints.quote_order)
    place_order = async_method(endpoints.place_order)
    list_orders = async_method(endpoints.list_orders)
    iter_orders = async_items(endpoints.list_orders)
    get_order = async_method(endpoints.get_order)
    cancel_order = async_method(endpoints.cancel_order)
    list_order_fills = async_method(endpoints.list_order_fills)
    iter_order_fills = async_items(endpoints.list_order_fills)
    cancel_orders = async_method(endpoints.cancel_orders)
    place_basket = async_method(endpoints.place_basket)
    quote_basket = async_method(endpoints.quote_basket)
    get_basket = async_method(endpoints.get_basket)
    get_orderbook = async_method(endpoints.get_orderbook)
    list_event_trades = async_method(endpoints.list_event_trades)
    iter_event_trades = async_items(endpoints.list_event_trades)
    list_my_trades = async_method(endpoints.list_my_trades)
    iter_my_trades = async_items(endpoints.list_my_trades)
    list_user_trades = async_method(endpoints.list_user_trades)
    iter_user_trades = async_items(endpoints.list_user_trades)
    list_my_held_positions = async_method(endpoints.list_my_held_positions)
    iter_my_held_positions = async_items(endpoints.list_my_held_positions)
    list_my_completed_positions = async_method(endpoints.list_my_completed_positions)
    iter_my_completed_positions = async_items(endpoints.list_my_completed_positions)
    get_my_pnl_chart = async_method(endpoints.get_my_pnl_chart)
    get_user_pnl_chart = async_method(endpoints.get_user_pnl_chart)
    list_my_positions = async_method(endpoints.list_my_positions)
    iter_my_positions = async_items(endpoints.list_my_positions)
    get_my_portfolio = async_method(endpoints.get_my_portfolio)
    get_my_worth = async_method(endpoints.get_my_worth)
    list_my_transactions = async_method(endpoints.list_my_transactions)
    iter_my_transactions = async_items(endpoints.list_my_transactions)
    get_my_allowance = async_method(endpoints.get_my_allowance)
    place_partner_bet = async_method(endpoints.place_partner_bet)
    sell_partner_shares = async_method(endpoints.sell_partner_shares)
    quote_partner_order = async_method(endpoints.quote_partner_order)
    place_partner_order = async_method(endpoints.place_partner_order)
    list_partner_orders = async_method(endpoints.list_partner_orders)
    iter_partner_orders = async_items(endpoints.list_partner_orders)
    get_partner_order = async_method(endpoints.get_partner_order)
    cancel_partner_order = async_method(endpoints.cancel_partner_order)
    list_partner_order_fills = async_method(endpoints.list_partner_order_fills)
    iter_partner_order_fills = async_items(endpoints.list_partner_order_fills)
    cancel_partner_orders = async_method(endpoints.cancel_partner_orders)
    place_partner_basket = async_method(endpoints.place_partner_basket)
    quote_partner_basket = async_method(endpoints.quote_partner_basket)
    get_partner_basket = async_method(endpoints.get_partner_basket)
    list_partner_users = async_method(endpoints.list_partner_users)
    iter_partner_users = async_items(endpoints.list_partner_users)
    get_partner_user = async_method(endpoints.get_partner_user)
    get_partner_balance = async_method(endpoints.get_partner_balance)
    withdraw_from_partner_user = async_method(endpoints.withdraw_from_partner_user)
    list_statement = async_method(endpoints.list_statement)
    iter_statement = async_items(endpoints.list_statement)
    create_comment = async_method(endpoints.create_comment)
    list_comments = async_method(endpoints.list_comments)
    iter_comments = async_items(endpoints.list_comments)
    get_comment = async_method(endpoints.get_comment)
    delete_comment = async_method(endpoints.delete_comment)
    list_replies = async_method(endpoints.list_replies)
    iter_replies = async_items(endpoints.list_replies)
    react_to_comment = async_method(endpoints.react_to_comment)
    hide_comment = async_method(endpoints.hide_comment)
    set_forecast = async_method(endpoints.set_forecast)
    delete_forecast = async_method(endpoints.delete_forecast)
    list_pool_forecasts = async_method(endpoints.list_pool_forecasts)
    iter_pool_forecasts = async_items(endpoints.list_pool_forecasts)
    get_crowd_chart = async_method(endpoints.get_crowd_chart)
    list_my_forecasts = async_method(endpoints.list_my_forecasts)
    iter_my_forecasts = async_items(endpoints.list_my_forecasts)
    list_user_forecasts = async_method(endpoints.list_user_forecasts)
    iter_user_forecasts = async_items(endpoints.list_user_forecasts)
    create_clarification = async_method(endpoints.create_clarification)
    list_clarifications = async_method(endpoints.list_clarifications)
    iter_clarifications = async_items(endpoints.list_clarifications)
    hide_clarification = async_method(endpoints.hide_clarification)
    create_report = async_method(endpoints.create_report)
    list_reports = async_method(endpoints.list_reports)
    iter_reports = async_items(endpoints.list_reports)
    get_waiting = async_method(endpoints.get_waiting)
    close_report = async_method(endpoints.close_report)
    mute_user = async_method(endpoints.mute_user)
    open_chat_session = async_method(endpoints.open_chat_session)
    list_chat_messages = async_method(endpoints.list_chat_messages)
    send_chat_message = async_method(endpoints.send_chat_message)
    call_operator = async_method(endpoints.call_operator)
    stream_chat = async_stream(endpoints.stream_chat)
    list_chat_sessions = async_method(endpoints.list_chat_sessions)
    iter_chat_sessions = async_items(endpoints.list_chat_sessions)
    list_chat_session_messages = async_method(endpoints.list_chat_session_messages)
    answer_chat_session = async_method(endpoints.answer_chat_session)
    stream_chat_sessions = async_stream(endpoints.stream_chat_sessions)
    close_chat_session = async_method(endpoints.close_chat_session)
    list_notifications = async_method(endpoints.list_notifications)
    iter_notifications = async_items(endpoints.list_notifications)
    get_notification_settings = async_method(endpoints.get_notification_settings)
    change_notification_settings = async_method(endpoints.change_notification_settings)
    count_unread_notifications = async_method(endpoints.count_unread_notifications)
    mark_notifications_read = async_method(endpoints.mark_notifications_read)
    list_attention = async_method(endpoints.list_attention)
    iter_attention = async_items(endpoints.list_attention)
    invite_members = async_method(endpoints.invite_members)
    list_users = async_method(endpoints.list_users)
    iter_users = async_items(endpoints.list_users)
    update_user = async_method(endpoints.update_user)
    create_reset_link = async_method(endpoints.create_reset_link)
    credit_user = async_method(endpoints.credit_user)
    list_user_transactions = async_method(endpoints.list_user_transactions)
    iter_user_transactions = async_items(endpoints.list_user_transactions)
    list_admin_log = async_method(endpoints.list_admin_log)
    iter_admin_log = async_items(endpoints.list_admin_log)
    get_stats = async_method(endpoints.get_stats)
    create_invitation = async_method(endpoints.create_invitation)
    list_invitations = async_method(endpoints.list_invitations)
    iter_invitations = async_items(endpoints.list_invitations)
    get_invitation = async_method(endpoints.get_invitation)
    withdraw_invitation = async_method(endpoints.withdraw_invitation)
    list_partners = async_method(endpoints.list_partners)
    iter_partners = async_items(endpoints.list_partners)
    create_partner = async_method(endpoints.create_partner)
    list_partner_keys = async_method(endpoints.list_partner_keys)
    create_partner_key = async_method(endpoints.create_partner_key)
    revoke_partner_key = async_method(endpoints.revoke_partner_key)
    list_partner_statement = async_method(endpoints.list_partner_statement)
    iter_partner_statement = async_items(endpoints.list_partner_statement)
    deposit_to_partner = async_method(endpoints.deposit_to_partner)
    pay_out_partner = async_method(endpoints.pay_out_partner)
    get_upkeep = async_method(endpoints.get_upkeep)
    confirm_site = async_method(endpoints.confirm_site)
    set_partner_webhook = async_method(endpoints.set_partner_webhook)
    get_partner_webhook = async_method(endpoints.get_partner_webhook)
    send_partner_webhook_test = async_method(endpoints.send_partner_webhook_test)
    set_webhook = async_method(endpoints.set_webhook)
    get_webhook = async_method(endpoints.get_webhook)
    delete_webhook = async_method(endpoints.delete_webhook)
    send_webhook_test = async_method(endpoints.send_webhook_test)
    resend_transactions = async_method(endpoints.resend_transactions)
    get_site_settings = async_method(endpoints.get_site_settings)
    change_site_settings = async_method(endpoints.change_site_settings)
    set_logo = async_method(endpoints.set_logo)
    delete_logo = async_method(endpoints.delete_logo)
    set_icon = async_method(endpoints.set_icon)
    delete_icon = async_method(endpoints.delete_icon)
    set_theme = async_method(endpoints.set_theme)
    delete_theme = async_method(endpoints.delete_theme)
    get_page_source = async_method(endpoints.get_page_source)
    set_page_source = async_method(endpoints.set_page_source)
    delete_page_source = async_method(endpoints.delete_page_source)
    get_first_hour = async_method(endpoints.get_first_hour)
    end_first_hour = async_method(endpoints.end_first_hour)
    set_event_image = async_method(endpoints.set_event_image)
    delete_event_image = async_method(endpoints.delete_event_image)
    set_my_avatar = async_method(endpoints.set_my_avatar)
    list_assets = async_method(endpoints.list_assets)
    iter_assets = async_items(endpoints.list_assets)
    get_asset_price = async_method(endpoints.get_asset_price)
    list_asset_prices = async_method(endpoints.list_asset_prices)
    iter_asset_prices = async_items(endpoints.list_asset_prices)
    get_currency_rate = async_method(endpoints.get_currency_rate)
    set_asset = async_method(endpoints.set_asset)
    list_currency_rates = async_method(endpoints.list_currency_rates)
    iter_currency_rates = async_items(endpoints.list_currency_rates)
    set_currency_rate = async_method(endpoints.set_currency_rate)
