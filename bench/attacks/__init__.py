"""Latency and errors of honest clients during attacks: run by `python -m bench attacks` (bench/attacks/measure.py)."""
