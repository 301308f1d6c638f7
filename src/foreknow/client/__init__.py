"""The web client: built from web/ by hatch_build.py, and served at every address that is none of the service's own.

files    the built files in memory, each in the codings that the build made
codings  which of them a request takes
shell    the page that starts the client, with an event's title and preview
serving  the ASGI application
"""

from foreknow.client.files import load_client
from foreknow.client.serving import WebClient

__all__ = ["WebClient", "load_client"]
