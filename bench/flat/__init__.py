"""Whether answers take as long after ten million trades as after a few.

Two services run side by side: a young one, whose history is some 40,000 trades long, and an old one. Both histories are
stamped from the same templates (`bench.history`), so that what is asked for can be alike in both, down to the number of
points of a chart: only the rows around it are more. Requests go to the two in turn, one at a time.

    targets  what is asked for
    reads    how long each endpoint takes, in both
    bets     how many bets a second each takes
    audits   how long the audit takes, against reading the rows
    measure  all of it: `python -m bench flat`
    oncpu    how long processes were on a CPU
"""
