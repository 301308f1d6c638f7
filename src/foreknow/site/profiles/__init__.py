"""Profiles, and the rankings of profits and of forecasts.

forecasting  what a profile says of forecasts
"""
