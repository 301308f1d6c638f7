"""What is traded: events and series, pools and their markets, charts, asset prices, cover images.

Imports: people and every layer below.
"""
