"""Events: creation, life cycle, lists and search."""
