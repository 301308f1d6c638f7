"""Comments on events: replies of any depth, likes and dislikes, and counts that always equal the rows they count."""
