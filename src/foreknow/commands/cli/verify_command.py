"""`foreknow verify`: what was worked out again, and the first things that do not agree."""

from __future__ import annotations

import asyncio

from foreknow.commands.cli.output import show_json
from foreknow.commands.cli.progress import ProgressBar
from foreknow.commands.verify import Report, verify

#: More findings than these say no more.
_SHOWN = 20


def verify_site(url: str, *, token: str | None, as_json: bool) -> int:
    """Verify the site at `url`, print what was found, and return how much does not agree."""
    with ProgressBar() as bar:
        report = asyncio.run(verify(url, token=token, after_each=lambda done, steps: bar.reach("Events", done, steps)))
    if as_json:
        show_json({name: getattr(report, name) for name in Report.__slots__})
        return len(report.wrong)
    exact = report.trades - report.summed
    print(f"{report.pools} pools of {report.events} events: first prices, what the house paid, shares sold and volumes")
    print(f"{exact} trades to the kopeck, {report.summed} in sums of those that followed one another")
    print(f"{report.results} results: what they pay")
    print(f"{report.fed} trades of the feed: none is left out, each is in a list")
    if report.feed_ended:
        print("The feed ended meanwhile: what it would have given since is not known")
    print("Not public, so not checked: balances, whose order it was, what was paid to whom.")
    for wrong in report.wrong[:_SHOWN]:
        print(f"WRONG  {wrong}")
    if len(report.wrong) > _SHOWN:
        print(f"and {len(report.wrong) - _SHOWN} more")
    return len(report.wrong)
