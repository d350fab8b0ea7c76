"""`python -m simdup`."""

from simdup.cli import main

if __name__ == "__main__":
    main()
