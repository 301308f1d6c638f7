"""A typed client of Foreknow's prediction markets.

    from foreknow_client import Client

    with Client("http://127.0.0.1:8000", key="fku_…") as client:
        for event in client.iter_events(status="active"):
            market = event.pools[0].markets[0]
            bet = client.place_bet(market_id=market.id, token_type="YES", amount_kopecks=1000)

`AsyncClient` has the same methods, to be awaited. Errors are classes by code in `errors`, what is answered stands in
`models`, prices without a request in `pricing`, what one may say of a pool in `forecasts`, what the feed yields in
`sockets`, and what partners receive in `webhooks`.
"""

from foreknow_client import errors, forecasts, models, pricing, sockets, webhooks
from foreknow_client.client import AsyncClient, Client
from foreknow_client.failures import AnswerNotUnderstood, ApiError, ConnectionFailed, FateUnknown, ForeknowError

__all__ = [
    "AnswerNotUnderstood",
    "ApiError",
    "AsyncClient",
    "Client",
    "ConnectionFailed",
    "FateUnknown",
    "ForeknowError",
    "errors",
    "forecasts",
    "models",
    "pricing",
    "sockets",
    "webhooks",
]
