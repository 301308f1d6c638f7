"""Clarifications: what makes a pool's rules clearer, below them, for who trades in it. They change no rule."""
