"""Every bound of the plugin and of its way to the sidecar, with its unit."""

from __future__ import annotations

from typing import Final

KIBIBYTE: Final = 1024
MEBIBYTE: Final = 1024 * KIBIBYTE

# What the plugin holds until the sidecar has it on disk. An event larger than the bound passes alone.
MEMORY_BYTES_MAX: Final = 64 * MEBIBYTE
MEMORY_EVENTS_MAX: Final = 4_096
# Arguments are copied node by node; beyond either bound they are left out, the result is kept.
COPY_NODES_MAX: Final = 20_000
COPY_DEPTH_MAX: Final = 64
# Unknown to the capture service's contract beyond this size.
ARGUMENTS_BYTES_MAX: Final = 1 * MEBIBYTE
# Result and side files together; the capture service takes 65 MiB for both.
EVENT_BYTES_MAX: Final = 65 * MEBIBYTE

# Files that a result names. Hermes cuts them at 2,000,000 characters, at most 4 bytes each, and adds a line.
SIDE_FILES_MAX: Final = 16
SIDE_FILE_BYTES_MAX: Final = 8 * MEBIBYTE + 4 * KIBIBYTE

# Frames on the socket.
HEADER_BYTES_MAX: Final = 512 * KIBIBYTE
BODY_BYTES_MAX: Final = EVENT_BYTES_MAX + ARGUMENTS_BYTES_MAX
ANSWER_BYTES_MAX: Final = 4 * MEBIBYTE
ID_CHARACTERS_MAX: Final = 256
ERROR_CHARACTERS_MAX: Final = 16 * KIBIBYTE

# Refs of one answer; an answer is looked at up to a length that no model reaches.
ANSWER_CHARACTERS_MAX: Final = 4 * MEBIBYTE
CITED_REFS_MAX: Final = 128

# What is remembered of sessions, tasks and calls; the oldest is forgotten first.
REMEMBERED_MAX: Final = 4_096
LINEAGE_DEPTH_MAX: Final = 8

# Time. Hermes waits for none of it but the flush.
FLUSH_SECONDS_MAX: Final = 0.3
CLOSE_SECONDS_MAX: Final = 0.1
CONNECT_SECONDS_MAX: Final = 2.0
SEND_SECONDS_MAX: Final = 30.0
RETRY_SECONDS_MIN: Final = 0.05
RETRY_SECONDS_MAX: Final = 5.0
LAUNCH_PAUSE_SECONDS_MIN: Final = 5.0
LAUNCH_PAUSE_SECONDS_MAX: Final = 120.0
REPORT_PAUSE_SECONDS: Final = 2.0
ENDPOINT_FILE_BYTES_MAX: Final = 64 * KIBIBYTE

# How often requests to capture a source again are asked for between turns.
REFRESH_POLL_SECONDS: Final = 60.0
# A Hermes that leaves after its one turn takes no request that it could not carry out.
REFRESH_PAUSE_SECONDS: Final = 2.0

# Agent tools and commands: how long Hermes' tool thread waits for the sidecar.
CALL_SECONDS_MAX: Final = 30.0
COMMAND_SECONDS_MAX: Final = 5.0
