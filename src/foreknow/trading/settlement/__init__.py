"""Settlement: deciding how pools ended and cancelling events; then paying their positions (`trading/effects`).

resolve_body       the resolution that a request names
objections         who may object to a result, and confirming it
objection_store    their rows
objection_schemas  their bodies
objection_views    objections as a reader sees them, and hiding them
objection_queue    results that someone objects to, as admins answer them
objection_routes   their endpoints
holdings           what people hold in a pool, and what a result pays for it
answers            what becomes of objections
authority          who may resolve, cancel, replace and confirm
service            resolving, dispute windows, and the event's new status
past_trades        what had been traded at a past moment, for voids
payments           the worker that pays (docs/adr/0017-payment-in-pieces.md)
notifying          the worker that notifies holders of verdicts, and of rules that were made clearer
store              payments under way
"""
