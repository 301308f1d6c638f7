"""Signing in through a provider: OpenID Connect, code flow with PKCE, state and nonce (docs/sign-in.md).

routes    thin: off to the provider, back from it     service   the two halves of a sign-in, in order
flows     what ties them together: a signed cookie    returning where the browser goes afterwards
provider  discovery, keys, the code's exchange        accounts  whose account it is: known, linked or new
wire      bounded HTTP to providers                   store     identities, and states that were used
"""

from foreknow.oauth.routes import OAuthRoutes
from foreknow.oauth.service import OAuthService

__all__ = ["OAuthRoutes", "OAuthService"]
