"""`python -m simdup`, and the command itself."""

import sys


def main() -> None:
    """Run the command line; interrupted while that is still imported, end as quietly as later."""
    try:
        from simdup.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
