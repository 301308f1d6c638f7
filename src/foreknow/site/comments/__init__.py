"""Comments on events: nested replies, likes and dislikes, and counters that always equal the rows they count."""
