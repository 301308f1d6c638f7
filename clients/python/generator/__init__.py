"""Writes the modules of foreknow_client that follow from docs/openapi.json.

    schemas    models.py, and OpenAPI's schemas as types
    calls      endpoints.py, a function for each endpoint, and endpoint_methods.py, the methods of both clients
    failures   errors.py, a class for each code
    operations what they need to know of an endpoint
    files      all of them

`just client` runs it; a test fails while what it would write differs from what is there.
"""
