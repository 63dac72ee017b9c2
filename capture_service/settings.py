"""Settings of the capture service: table ``capture`` of the configuration file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from sourcecorpus.rpc.settings import setting

_GIBIBYTE = 1_024 * 1_024 * 1_024


@dataclass(frozen=True, slots=True)
class CaptureSettings:
    """What the operator may choose."""

    table: ClassVar[str] = "capture"

    outbox_bytes_max: int = setting(
        "Bytes that may wait for the corpus; beyond them clients are asked to slow down.",
        "SOURCECORPUS_OUTBOX_BYTES_MAX",
        2 * _GIBIBYTE,
        minimum=1_048_576,
    )
    outbox_entries_max: int = setting(
        "Envelopes that may wait for the corpus.",
        "SOURCECORPUS_OUTBOX_ENTRIES_MAX",
        1_000_000,
        minimum=1,
    )
    redaction_file: Path | None = setting(
        "TOML file with further rules, names, literals and allowances for redaction.",
        "SOURCECORPUS_REDACTION_FILE",
        None,
    )
    path_aliases: tuple[str, ...] = setting(
        "Names for folders, alias=/absolute/folder each; a path is kept under its alias alone.",
        "SOURCECORPUS_PATH_ALIASES",
        (),
    )
    home_folder: str = setting(
        "Folder that ~ stands for in the paths that tools name; empty means unknown.",
        "SOURCECORPUS_HOME_FOLDER",
        "",
    )
    keep_binary_bodies: bool = setting(
        "Keep bodies that are no text, beside their hash, type and size.",
        "SOURCECORPUS_KEEP_BINARY_BODIES",
        False,
    )
