"""The web client: built from web/ by hatch_build.py, and served at every address that is none of the service's own.

files        the built files in memory, each in the codings that the build made
negotiation  which of them a request takes
shell        the page that starts the client, with an event's title and preview: the texts of a link to it
serving      the ASGI application
"""

from foreknow.site.client.files import load_client
from foreknow.site.client.serving import WebClient
from foreknow.site.client.shell import NAME, ShellLooks

__all__ = ["NAME", "ShellLooks", "WebClient", "load_client"]
