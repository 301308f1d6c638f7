"""What honest clients feel while somebody attacks: run by `python -m bench attacks` (bench/attacks/measure.py)."""
