"""Events at a glance: cards, the tags with the most active events, and all that an event's page shows."""
