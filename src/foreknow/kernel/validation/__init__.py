"""Validation of input: texts, integers, URLs, JSON bodies. Every error names its field."""
