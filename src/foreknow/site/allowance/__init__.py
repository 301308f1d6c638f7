"""Allowances: what the house grants active users in each period, once a user and period.

state     days, weeks and months: which period is paid, by which terms, and how far
granting  what a piece of users gets
"""
