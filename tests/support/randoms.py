"""Sources of random numbers for the tests of hypothesis whose cases are drawn by functions of ours."""

from __future__ import annotations

from random import Random
from typing import Final

from hypothesis import strategies as st

from tests.support.lengths import length

#: In short an example is a seed; in long hypothesis chooses each number, for several times the price, and can say with
#: how few and how small ones a test fails.
RANDOMS: Final[st.SearchStrategy[Random]] = st.randoms(use_true_random=length(short=True, long=False))
