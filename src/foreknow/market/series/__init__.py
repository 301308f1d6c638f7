"""Series: events that recur. Their rows begin with a publication (`market/events/series_store.py`).

opening   opening the next instance of a series, or noting why it waits
opener    the worker that opens instances when they are due
service   stopping, resuming and changing a series
schemas   requests and responses   routes    GET, POST and PATCH /series
errors    their errors
"""

from foreknow.market.series.opener import SeriesOpener
from foreknow.market.series.routes import SeriesRoutes

__all__ = ["SeriesOpener", "SeriesRoutes"]
