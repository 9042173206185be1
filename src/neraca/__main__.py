"""Run the command line: `python -m neraca`, the same as `neraca`."""

from neraca.cli import main

if __name__ == "__main__":
    main()
