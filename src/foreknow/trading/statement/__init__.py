"""Partners' statements as they see them: each line with the side and the shares that it is about.

routes   /partner/transactions, and what the admins' endpoint shares with it: JSON pages or CSV
lines    lines with their side and shares
"""
