"""`python -m foreknow`, the same as the command `foreknow`."""

from foreknow.commands.cli import main

if __name__ == "__main__":
    main()
