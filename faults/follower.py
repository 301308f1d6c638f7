"""Processes that notify followers, and are killed at their first commit, before and after it by turns.

python -m faults.follower URL AT_ONCE

Each round starts AT_ONCE of them, until none of a round dies: all that was new is done. Prints the number of kills.
"""

from __future__ import annotations

import asyncio
import os
import sys
import traceback

from faults.payer import Mortal
from foreknow.site.following import FollowingService, follower

#: Few, so that news has several commits.
PIECE_FOLLOWERS = 4
ROUNDS_MAX = 100


async def follow(url: str, *, when: str) -> None:
    """Notify of what is new, or die."""
    follower.PIECE_FOLLOWERS = PIECE_FOLLOWERS
    db = Mortal(url, commit=1, when=when)
    following = FollowingService(db)
    while await following.follow():
        pass
    await db.close()


def begin(url: str, *, when: str) -> int:
    """Start a process, with what this one has imported; return its id."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            asyncio.run(follow(url, when=when))
            code = 0
        finally:
            if code:
                traceback.print_exc()
            os._exit(code)
    return child


def kill_followers(url: str, *, at_once: int) -> int:
    """Kill processes until nothing is left to do; return how many died. Raises `RuntimeError` where one fails."""
    kills = 0
    for number in range(ROUNDS_MAX):
        when = "before" if number % 2 == 0 else "after"
        # Of several, one gets on, so that they are about different things.
        whens = [when, *["after"] * (at_once - 1)]
        ended = [os.waitpid(child, 0)[1] for child in [begin(url, when=one) for one in whens]]
        if any(os.WIFEXITED(status) and os.WEXITSTATUS(status) for status in ended):
            raise RuntimeError("a follower failed")
        kills += sum(os.WIFSIGNALED(status) for status in ended)
        if not any(ended):
            return kills
    raise RuntimeError(f"there is something to do after {ROUNDS_MAX} rounds")


if __name__ == "__main__":
    print(kill_followers(sys.argv[1], at_once=int(sys.argv[2])))
