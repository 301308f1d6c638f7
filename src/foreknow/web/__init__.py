"""HTTP: endpoints, the contract's order of checks, strict decoding, answers, the OpenAPI page."""
