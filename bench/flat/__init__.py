"""Compares response times after ten million trades and after a few.

Two services run side by side: a young one, whose history is some 40,000 trades long, and an old one. Both histories are
stamped from the same templates (`bench.history`), so that the same requests fit both, down to the number of
points of a chart: only the rows around it are more. Requests go to the two in turn, one at a time.

    targets  the requests
    reads    how long each endpoint takes, in both
    bets     how many bets a second each takes
    audits   how long the audit takes, against reading the rows
    measure  all of it: `python -m bench flat`
    oncpu    how long processes were on a CPU
"""
