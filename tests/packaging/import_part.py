"""Imports what one extra promises, in an environment that holds that extra alone.

Run with the interpreter of that environment: ``import_part.py bridge|capture|corpus``.
"""

import importlib
import importlib.util
import sys

PARTS = {
    "bridge": (
        "sourcecorpus.bridge.client",
        "sourcecorpus.bridge.cli.main",
        "sourcecorpus.identity",
    ),
    "capture": ("capture_service.bootstrap", "capture_service.redaction"),
    "corpus": ("corpus_service.bootstrap",),
}
SERVER_ONLY = ("apsw", "hyperscan", "lz4", "grpc_reflection")


def main() -> None:
    part = sys.argv[1]
    for module in PARTS[part]:
        importlib.import_module(module)
    if part == "bridge":
        present = [name for name in SERVER_ONLY if importlib.util.find_spec(name)]
        if present:
            sys.exit(f"a client does not need {', '.join(present)}")
    sys.stdout.write(f"{part}: imports are complete\n")


if __name__ == "__main__":
    main()
