"""Writes the modules of foreknow_client that follow from docs/openapi.json and docs/asyncapi.json.

    schemas    models.py and messages.py, and the documents' schemas as types
    calls      endpoints.py, a function for each endpoint, and the methods of both clients
    failures   errors.py, a class for each code
    operations what they need to know of an endpoint
    files      all of them

`just client` runs it; a test fails while what it would write differs from what is there.
"""
