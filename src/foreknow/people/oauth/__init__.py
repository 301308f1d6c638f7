"""Sign-in through a provider: OpenID Connect, code flow with PKCE, state and nonce (docs/sign-in.md).

routes    redirect to the provider, and the callback  service  the steps of a sign-in, and its account
flows     the signed cookie that links both           store    identities and used states
provider  discovery, keys, exchange of the code       http     bounded HTTP client
"""

from foreknow.people.oauth.routes import OAuthRoutes
from foreknow.people.oauth.service import OAuthService

__all__ = ["OAuthRoutes", "OAuthService"]
