"""Build hook: generates the Python modules of the contract while the package is built.

It also puts the schema of the bridge's commands where the package finds it.

Generated modules are never committed: protoc's output is bound to the version of its run time, and
a committed copy drifts. The hook is self-contained because the project root is not importable
during a build. Run as a program it generates in place, which is what an editable checkout needs
after a change of a .proto file.
"""

from __future__ import annotations

import shutil
import sys
from importlib import resources
from pathlib import Path

from setuptools.command.build_py import build_py

PROTO_ROOT = Path(__file__).resolve().parent
CONTRACT_FILE = Path("sourcecorpus", "rpc", "contract.binpb")
BRIDGE_ROOT = PROTO_ROOT.parent / "clients" / "bridge"
COMMAND_SCHEMA = "game-command.schema.json"


class ContractGenerationError(RuntimeError):
    """Raised when protoc refuses the contract; its own message stands on standard error."""


def generate(proto_root: Path = PROTO_ROOT) -> list[Path]:
    """Generate messages, services and typed stubs beside every .proto file.

    Args:
        proto_root: Folder that holds the package tree ``sourcecorpus/…``; also the import root.

    Returns:
        The .proto files that were compiled, sorted.

    Raises:
        ContractGenerationError: protoc refused a file.
    """
    from grpc_tools import protoc

    sources = sorted(proto_root.rglob("*.proto"))
    well_known = resources.files("grpc_tools") / "_proto"
    arguments = [
        "protoc",
        f"--proto_path={proto_root}",
        f"--proto_path={well_known}",
        f"--python_out={proto_root}",
        f"--grpc_python_out={proto_root}",
        f"--mypy_out={proto_root}",
        f"--mypy_grpc_out={proto_root}",
        # Reflection answers from this file: generated modules have no comments.
        f"--descriptor_set_out={proto_root / CONTRACT_FILE}",
        "--include_source_info",
        *(str(source) for source in sources),
    ]
    if protoc.main(arguments) != 0:
        raise ContractGenerationError("protoc refused the contract")
    return sources


def place_command_schema(bridge_root: Path = BRIDGE_ROOT) -> None:
    """Copy the schema of game commands into the bridge's package; a source archive holds the copy alone."""
    written = bridge_root / "protocol" / COMMAND_SCHEMA
    if written.is_file():
        shutil.copyfile(
            written, bridge_root / "sourcecorpus" / "bridge" / "game_commands" / COMMAND_SCHEMA
        )


class BuildWithGeneratedContract(build_py):  # type: ignore[misc]  # setuptools has no types
    """``build_py`` that generates the contract first, for wheels and editable installs alike."""

    def run(self) -> None:
        """Generate, then build as usual."""
        generate()
        place_command_schema()
        super().run()


if __name__ == "__main__":
    generate()
    place_command_schema()
    sys.exit(0)
