"""Takes archives apart and puts them together again, sound or not."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from typing import Any

Entries = dict[str, bytes]


def entries_of(data: bytes) -> Entries:
    """Name to bytes, in order."""
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        found = {}
        for member in archive.getmembers():
            file = archive.extractfile(member)
            assert file is not None
            found[member.name] = file.read()
    return found


def packed(entries: Entries, *, sound: bool = True) -> bytes:
    """An archive of entries; ``sound`` makes the manifest say what they are."""
    if sound:
        entries = {**entries, "manifest.json": _described(entries)}
    parts = []
    for name, data in entries.items():
        parts.append(entry(name, data))
    return b"".join(parts) + bytes(1024)


def entry(name: str, data: bytes, **facts: Any) -> bytes:
    """One entry with its header and padding; ``facts`` are attributes of `tarfile.TarInfo`."""
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for fact, value in facts.items():
        setattr(info, fact, value)
    return info.tobuf(tarfile.USTAR_FORMAT) + data + bytes(-len(data) % 512)


def manifest_of(entries: Entries) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(entries["manifest.json"])
    return document


def written(document: dict[str, Any]) -> bytes:
    return json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"


def _described(entries: Entries) -> bytes:
    document = manifest_of(entries)
    for table in document["tables"]:
        data = entries[f"tables/{table['name']}.jsonl"]
        table["rows"] = data.count(b"\n")
        table["size_bytes"] = len(data)
        table["hash"] = f"sha256:{hashlib.sha256(data).hexdigest()}"
    contents = [data for name, data in entries.items() if name.startswith("contents/")]
    document["contents"] = {"count": len(contents), "size_bytes": sum(map(len, contents))}
    return written(document)


def rows_of(entries: Entries, table: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in entries[f"tables/{table}.jsonl"].splitlines()]


def with_rows(entries: Entries, table: str, rows: list[dict[str, Any]]) -> Entries:
    lines = (
        json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for row in rows
    )
    return {**entries, f"tables/{table}.jsonl": b"".join(lines)}
