"""`python -m foreknow_client.assistant` is `foreknow-mcp`."""

from foreknow_client.assistant import main

if __name__ == "__main__":
    main()
