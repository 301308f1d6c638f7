"""Trading: orders, the trade desk, quotes."""
