"""`python -m arena_tui` is `arena`."""

from arena_tui.cli import main

if __name__ == "__main__":
    main()
