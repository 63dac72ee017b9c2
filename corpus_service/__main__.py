"""``python -m corpus_service``: starts the corpus service in the foreground."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

EXIT_CANNOT_START: Final = 2


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Says in one line what is wrong."""
        self.exit(EXIT_CANNOT_START, f"corpus: {message}; see --help\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Reads the settings, runs the service and returns the exit code of the process."""
    parser = _Parser(
        prog="python -m corpus_service",
        allow_abbrev=False,
        description="The corpus service of SourceCorpus: keeps sources, searches and cites them.",
        epilog="Settings come from the environment (SOURCECORPUS_…) or a TOML file.",
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="TOML file with settings")
    given = parser.parse_args(arguments)
    # Later than the arguments, so that --help does not wait for gRPC.
    try:
        from corpus_service.bootstrap import run
    except ModuleNotFoundError as error:
        # An installation of another part has this module too, but not what it needs.
        package = (error.name or "").partition(".")[0]
        if package in ("corpus_service", "sourcecorpus"):
            raise
        sys.stderr.write(
            f"corpus: needs the Python package {package}: install source-corpus[corpus]\n"
        )
        return EXIT_CANNOT_START
    return run(given.config)


if __name__ == "__main__":
    sys.exit(main())
