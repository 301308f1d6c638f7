"""Pictures of events for link previews (`og:image`): the question, the leading outcome and its line, as a PNG.

content    what a picture shows, from the rows
texts      the few words in it, in English and Russian
drawing    a picture of that, with Pillow
service    draws one at a time, keeps the newest
serving    GET /images/cards/{event_id}.png
"""

from foreknow.site.previews.content import Brand
from foreknow.site.previews.service import PreviewService
from foreknow.site.previews.serving import PreviewPages

__all__ = ["Brand", "PreviewPages", "PreviewService"]
