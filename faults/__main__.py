"""`python -m faults NAME …`: bring one kind of fault about, or all with their defaults, and print what was lost."""

from __future__ import annotations

import logging
import sys

import structlog

from faults import (
    database,
    disk,
    failover,
    fsync,
    kills,
    network,
    orders,
    payments,
    power,
    scores,
    series,
    splits,
    week,
)
from faults.history import running as history
from faults.simulation import running as simulation

FAULTS = {
    "kills": kills.main,
    "payments": payments.main,
    "splits": splits.main,
    "scores": scores.main,
    "orders": orders.main,
    "history": history.main,
    "simulate": simulation.main,
    "series": series.main,
    "week": week.main,
    "power-cuts": power.main,
    "fsync": fsync.main,
    "disk": disk.main,
    "database": database.main,
    "network": network.main,
    "failover": failover.main,
}

if __name__ == "__main__":
    # What the service says of its faults is for its operators; here the figures count.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    logging.disable(logging.CRITICAL)
    names = sys.argv[1:2] or list(FAULTS)
    if names[0] not in FAULTS:
        sys.exit(f"one of: {', '.join(FAULTS)}")
    for name in names:
        FAULTS[name](sys.argv[2:])
