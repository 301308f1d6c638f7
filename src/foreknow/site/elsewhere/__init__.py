"""What other sites and programs show of this one: a feed of new events, and cards of events in pages elsewhere.

    feed       the feed of new events, Atom (RFC 4287)
    embeds     what a card of an event says
    card_page  the card as a page for iframes
    serving    both, as ASGI applications

Neither is there where only members may read, nor the feed where the site does not know its own address.
"""

from foreknow.site.elsewhere.feed import FEED_IDS, FeedIds, feed_links
from foreknow.site.elsewhere.serving import EmbedPages, FeedPage

__all__ = ["FEED_IDS", "EmbedPages", "FeedIds", "FeedPage", "feed_links"]
