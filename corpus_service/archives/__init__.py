"""The archive that a game travels in: a tar file of JSON Lines and raw bytes; see docs/export.md."""
