"""GET /metrics: the metrics of a process, of the other workers of its address, and of the installation.

page          who may read them
scrape        one scrape, of all that follows
sources, http this process, from the plain counters that the packages keep
workers       the other workers
installation  totals that all processes read from the same database
books         the ledger's totals, summed in the background
buckets       histograms as Prometheus wants them
"""

from foreknow.metrics.page import MetricsPage
from foreknow.metrics.scrape import Scraper
from foreknow.metrics.sources import Sources
from foreknow.metrics.workers import WorkerSocket, open_sockets

__all__ = ["MetricsPage", "Scraper", "Sources", "WorkerSocket", "open_sockets"]
