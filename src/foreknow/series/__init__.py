"""Series: events that recur.

tables  series and what their later instances are made of
"""
