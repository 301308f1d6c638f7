"""Sign-in through a provider: OpenID Connect, code flow with PKCE, state and nonce (docs/sign-in.md).

routes    redirect to the provider, and the callback  service    the steps of a sign-in
flows     the signed cookie that links both           return_to  the page to return to
provider  discovery, keys, exchange of the code       accounts   find, link or create the account
http      bounded HTTP client                         store      identities and used states
"""

from foreknow.people.oauth.routes import OAuthRoutes
from foreknow.people.oauth.service import OAuthService

__all__ = ["OAuthRoutes", "OAuthService"]
