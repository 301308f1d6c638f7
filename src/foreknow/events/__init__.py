"""Events: creation, life cycle, lists."""
