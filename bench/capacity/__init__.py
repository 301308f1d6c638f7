"""What many processes would carry, by a model of what one machine shows: costs are measured, numbers of processes
multiplied.

    model    the formulas; pure
    measure  the costs, the check of the model against one and two workers, and the tables of docs/operations/scale.md
"""
