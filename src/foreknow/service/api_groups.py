"""The groups of the API page, in the order in which a newcomer needs them."""

from foreknow.web.openapi import EndpointGroup

GROUPS = (
    EndpointGroup(
        "Sign-in",
        "Make an account, sign in, and renew or end the session. Start here to trade as a person.",
        ("/auth",),
    ),
    EndpointGroup(
        "Events",
        "What can be bet on: search events, read one with its pools and chances, and its latest trades.",
        ("/events", "/cards", "/tags", "/series", "/record"),
    ),
    EndpointGroup(
        "Markets",
        "The prices of a pool's markets: now, at every depth and over time; and who holds the most.",
        ("/pools", "/markets", "/market/orderbook"),
    ),
    EndpointGroup(
        "Trading",
        "Get a quote, place a bet, sell shares, and list what you hold. Orders take an `Idempotency-Key`.",
        ("/market",),
    ),
    EndpointGroup(
        "Account",
        "Your profile, balance, portfolio, trades and account statement; your password and your sessions.",
        ("/users/me",),
    ),
    EndpointGroup(
        "API keys",
        "Keys of your own for bots, which read, or read and trade. Send one as `Authorization: Bearer …`.",
        ("/users/me/keys",),
    ),
    EndpointGroup(
        "Live updates",
        "WebSockets: every trade, and changes of the events you watch, as they happen.",
        ("/ws",),
    ),
    EndpointGroup(
        "Traders",
        "The public side of accounts: profiles, trades, profits and the leaderboard.",
        ("/users", "/leaderboard"),
    ),
    EndpointGroup(
        "Comments",
        "Talk about an event: comments, replies and reactions.",
        ("/comments", "/events/{event_id}/comments"),
    ),
    EndpointGroup(
        "Moderation",
        "Report what breaks the rules; for operators: what is reported, hiding what others wrote, muting users.",
        (
            "/reports",
            "/admin/reports",
            "/admin/waiting",
            "/admin/comments",
            "/admin/clarifications",
            "/admin/users/{user_id}/muted",
        ),
    ),
    EndpointGroup(
        "Notifications",
        "What happened to you: payouts, replies and more, with a count of the unread.",
        ("/notifications",),
    ),
    EndpointGroup(
        "Following",
        "Follow events, users and tags, and be notified at a price.",
        (
            *("/events/{event_id}/follow", "/users/{id}/follow", "/tags/{tag}/follow", "/users/me/following"),
            *("/markets/{market_id}/alert", "/users/me/alerts"),
        ),
    ),
    EndpointGroup(
        "Support chat", "Write to the support, signed in or not, and read its answers as a stream.", ("/chat",)
    ),
    EndpointGroup(
        "Assets",
        "Prices that events are settled by: assets and currency rates, now and in the past.",
        ("/assets", "/currency"),
    ),
    EndpointGroup(
        "Partners",
        "For a partner's server: bets, sales and withdrawals of its own users, and the statement of its account. Send "
        "`X-Partner-Key`.",
        ("/partner",),
    ),
    EndpointGroup(
        "Event management",
        "For creators and operators: create, publish, change, resolve and cancel events, and run series of them.",
        (
            *("POST /events", "PATCH /events", "/events/{event_id}/image", "/events/{event_id}/odds"),
            *("POST /pools", "PATCH /pools"),
            *("POST /series", "PATCH /series"),
        ),
    ),
    EndpointGroup(
        "Support desk", "For operators: the chats of all visitors, and the answers to them.", ("/admin/chat",)
    ),
    EndpointGroup(
        "Administration", "For admins: users, partners, rates, statistics and the log of what was done.", ("/admin",)
    ),
    EndpointGroup(
        "Service",
        "Whether the service is up and ready, and what a client must know of it.",
        ("/health", "/ready", "/site"),
    ),
)
