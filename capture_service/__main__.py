"""``python -m capture_service``: starts the capture service."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Final, NoReturn

EXIT_CANNOT_START: Final = 2
_FLAGS: Final = {
    "data_dir": ("--data-dir", "SOURCECORPUS_DATA_DIR", "folder of everything that is kept"),
    "address": ("--address", "SOURCECORPUS_CAPTURE_ADDRESS", "where to listen"),
    "corpus_address": (
        "--corpus-address",
        "SOURCECORPUS_CORPUS_ADDRESS",
        "where the corpus service listens",
    ),
    "ready_file": (
        "--ready-file",
        "SOURCECORPUS_READY_FILE",
        "file that gets the bound address once calls are taken",
    ),
    "log_level": ("--log-level", "SOURCECORPUS_LOG_LEVEL", "debug, info, warning or error"),
}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Say in one line what is wrong."""
        self.exit(EXIT_CANNOT_START, f"capture: {message}; see --help\n")


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = _Parser(
        prog="python -m capture_service",
        description="Receives tool results, redacts them and keeps them for the corpus service.",
        epilog="Every setting can stand in the environment or in a TOML file as well; "
        "'source-corpus config' lists them.",
        allow_abbrev=False,
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="TOML file of settings")
    for name, (flag, variable, meaning) in _FLAGS.items():
        parser.add_argument(flag, dest=name, metavar="VALUE", help=f"{meaning} ({variable})")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Start the service.

    Returns:
        0 after an orderly end, 1 where a part failed to stop, 2 where it could not start.
    """
    options = _options(sys.argv[1:] if arguments is None else arguments)
    for name, (_, variable, _) in _FLAGS.items():
        if getattr(options, name) is not None:
            os.environ[variable] = getattr(options, name)
    # After the flags, so that --help and wrong flags answer at once.
    try:
        from capture_service.bootstrap import serve
    except ModuleNotFoundError as error:
        # An installation of another part has this module too, but not what it needs.
        package = (error.name or "").partition(".")[0]
        if package in ("capture_service", "sourcecorpus"):
            raise
        sys.stderr.write(
            f"capture: needs the Python package {package}: install source-corpus[capture]\n"
        )
        return EXIT_CANNOT_START
    from capture_service.settings import CaptureSettings
    from sourcecorpus.rpc.runtime_settings import RuntimeSettings
    from sourcecorpus.rpc.server import run_service
    from sourcecorpus.rpc.settings import load

    async def serve_with_settings(runtime: RuntimeSettings) -> int:
        return await serve(load(CaptureSettings, file=options.config), runtime)

    return run_service("capture", serve_with_settings, options.config)


if __name__ == "__main__":
    sys.exit(main())
