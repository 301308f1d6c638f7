"""One order: what clients were answered under kills is explained by one order of each pool's changes.

made      an operation: what was asked, what was answered, from when to when
people    traders, and who runs the pools
running   servers that are killed, processes of clients, what the service shows at the end
sequence  a pool's order as the service shows it, each step recomputed by exact pricing
allowed   where in that order each answer may stand
realtime  whether these places agree with real time
checking  a pool's history from all of that; pure, as are the three before
"""
