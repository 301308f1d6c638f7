"""Checks of input: texts, whole numbers, URLs, parsed JSON against a struct. Every error names its field."""
