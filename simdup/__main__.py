"""Entry point of `python -m simdup` and of the `simdup` command."""

import os
import signal
from types import FrameType


def main() -> None:
    """Run the command line; a signal during the import ends the process at once."""
    from simdup.base.system import END_SIGNALS

    for number in END_SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _leave)
    from simdup.cli import main as run

    run()


def _leave(signum: int, frame: FrameType | None) -> None:
    # Nothing is open yet, so there is nothing to clean up.
    os._exit(128 + signum)


if __name__ == "__main__":
    main()
