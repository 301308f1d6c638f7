"""What waits for a person: entries for operators, alerted once each.

tables  the entries
"""
