"""GET /metrics: the metrics of a process, of the other workers of its address, and of the installation.

page          who may read them
scrape        one scrape, of all that follows
sources       this process, from the plain counters that the packages keep
http          requests and connections, and histograms as Prometheus wants them
workers       the other workers
installation  totals that all processes read from the same database; the ledger's are summed in the background
"""

from foreknow.service.metrics.page import MetricsPage
from foreknow.service.metrics.scrape import Scraper
from foreknow.service.metrics.sources import Sources
from foreknow.service.metrics.workers import WorkerSocket, open_sockets

__all__ = ["MetricsPage", "Scraper", "Sources", "WorkerSocket", "open_sockets"]
