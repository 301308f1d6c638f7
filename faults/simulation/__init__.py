"""Simulation: one process of the service over a clock, a network and a disk that a seed decides.

loop      an event loop without threads, in virtual time, whose next callback the seed chooses
network   peers behind it: a partner's receiver and a mail relay, slow, refusing, cut off
world     what a database holds at first, and the parts of the service that run on it
plan      what people do and when, and where the process or the power is cut; drawn from the seed
life      one process from its start to its end, and what must hold at every step
running   a whole plan; failing ones made smaller
"""
