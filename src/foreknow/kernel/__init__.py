"""What every package may import and what imports none: units, time, errors, text, cursors, rates, back-off, networks,
histograms, private files, TLS certificates.
"""
