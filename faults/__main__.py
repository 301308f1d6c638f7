"""`python -m faults NAME …`: bring one kind of fault about, or all with their defaults, and print what was lost."""

from __future__ import annotations

import sys

from faults import disk, power

FAULTS = {
    "power-cuts": power.main,
    "disk": disk.main,
}

if __name__ == "__main__":
    names = sys.argv[1:2] or list(FAULTS)
    if names[0] not in FAULTS:
        sys.exit(f"one of: {', '.join(FAULTS)}")
    for name in names:
        FAULTS[name](sys.argv[2:])
