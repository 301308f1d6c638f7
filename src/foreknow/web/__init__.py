"""HTTP: endpoints, the contract's order of checks, strict decoding, responses, the OpenAPI page."""
