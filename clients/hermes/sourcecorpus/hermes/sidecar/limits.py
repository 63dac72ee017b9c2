"""Every bound of the sidecar, with its unit."""

from __future__ import annotations

from typing import Final

MEBIBYTE: Final = 1024 * 1024
GIBIBYTE: Final = 1024 * MEBIBYTE

# Connections of plugins, commands and agent tools.
CONNECTIONS_MAX: Final = 64
LISTEN_BACKLOG: Final = 64
GREETING_SECONDS_MAX: Final = 5.0
# A command's socket only; a plugin's connection may be silent for hours.
CALL_SECONDS_MAX: Final = 30.0
ACCEPT_POLL_SECONDS: Final = 0.25
# Frames of one connection that were read and not yet taken, so that Hermes may end with its last word said.
READ_AHEAD_BYTES_MAX: Final = 72 * MEBIBYTE
UNDER_WAY_ENVELOPES_MAX: Final = 128

# The spool.
SPOOL_BYTES_MAX_DEFAULT: Final = 2 * GIBIBYTE
SPOOL_ENTRIES_MAX: Final = 1_000_000
PRODUCERS_MAX: Final = 1_000
SESSION_GAMES_MAX: Final = 10_000
SPOOL_PAUSE_SECONDS: Final = 0.05

# Links of runs that the corpus has not taken yet; beyond the bound the oldest is given up and counted.
LINKS_MAX: Final = 100_000
LINKS_TOGETHER_MAX: Final = 100
LINK_CALL_SECONDS_MAX: Final = 10.0

# Refresh requests: how long a plugin's question waits for them, how many it gets, how often a report is tried.
REFRESH_TAKE_SECONDS: Final = 1.0
REFRESHES_TOGETHER_MAX: Final = 5
REFRESH_REPORT_ATTEMPTS_MAX: Final = 3

# Redaction of ids that repeat, and of conversations.
REMEMBERED_TEXTS_MAX: Final = 4_096
REMEMBERED_CONVERSATIONS_MAX: Final = 256

# Delivery.
STREAM_IDLE_SECONDS: Final = 5.0
RETRY_SECONDS_MIN: Final = 0.2
RETRY_SECONDS_MAX: Final = 10.0
REFUSED_RETRY_SECONDS: Final = 30.0
# So often in a row the service may end a stream because of the same envelope before it is set aside.
POISON_ATTEMPTS_MAX: Final = 3
PEEK_ENTRIES_MAX: Final = 16
PEEK_PAYLOAD_BYTES_MAX: Final = 2 * MEBIBYTE

# Games of sessions: how long an answer of the capture service holds, and how long a dead one is left alone.
GAME_FRESH_SECONDS: Final = 2.0
UNREACHABLE_PAUSE_SECONDS: Final = 2.0
GAME_CALL_SECONDS_MAX: Final = 0.5
SET_GAME_CALL_SECONDS_MAX: Final = 3.0

# Life of the process.
IDLE_SECONDS_DEFAULT: Final = 120.0
IDLE_WITH_QUEUE_SECONDS: Final = 3_600.0
DRAIN_SECONDS_MAX: Final = 5.0
LOG_BYTES_MAX: Final = 1 * MEBIBYTE
LOG_FILES_MAX: Final = 2
REPORT_FILES_MAX: Final = 200
STATUS_SESSIONS_MAX: Final = 20
COUNTER_NAMES_MAX: Final = 500
