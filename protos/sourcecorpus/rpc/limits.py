"""Every bound of the wire, with its unit, in one place.

The field comments of the contract repeat these figures. Bounds of a
package's own inner workings stand in that package's ``limits.py``.
"""

from __future__ import annotations

from typing import Final

KIBIBYTE: Final = 1024
MEBIBYTE: Final = 1024 * KIBIBYTE

# gRPC messages. 4 MiB is gRPC's own default receive limit, stated on both sides.
MESSAGE_BYTES_MAX: Final = 4 * MEBIBYTE
# Status details travel in trailers; 8 KiB of metadata is the soft limit of gRPC core.
ERROR_DETAIL_BYTES_MAX: Final = 4 * KIBIBYTE
DATA_FRAME_BYTES_MAX: Final = 256 * KIBIBYTE

# Envelopes. The result and all side files of one envelope count together.
ENVELOPE_BYTES_MAX: Final = 64 * MEBIBYTE + 1 * MEBIBYTE
ENVELOPE_SIDE_FILES_MAX: Final = 16
SIDE_FILE_NAME_BYTES_MAX: Final = 4_096
ENVELOPE_ID_CHARACTERS_MAX: Final = 128
CAPTURE_SESSION_ID_CHARACTERS_MAX: Final = 128
IDENTIFIER_BYTES_MAX: Final = 256
TOOL_NAME_BYTES_MAX: Final = 256
CLIENT_TEXT_BYTES_MAX: Final = 128
ARGUMENTS_BYTES_MAX: Final = 1 * MEBIBYTE
TOOL_ERROR_BYTES_MAX: Final = 64 * KIBIBYTE
MEDIA_TYPE_BYTES_MAX: Final = 255
SUBMIT_ENVELOPES_MAX: Final = 64
SUBMIT_BYTES_MAX: Final = 3_584 * KIBIBYTE
OUTCOME_SOURCES_MAX: Final = 1_000
IGNORED_TOOL_NAMES_MAX: Final = 200

# Numbers. Times are kept as nanoseconds since 1970 and sequences as they are, each in a signed 64-bit
# integer: the last whole second is in April of the year 2262.
INSTANT_NANOSECONDS_MAX: Final = 2**63 - 1
INSTANT_SECONDS_MAX: Final = INSTANT_NANOSECONDS_MAX // 10**9 - 1
SEQUENCE_MAX: Final = 2**63 - 1

# Capture streams.
STREAM_WINDOW_MESSAGES_MAX: Final = 256
STREAM_WINDOW_BYTES_MAX: Final = 16 * MEBIBYTE
STREAMS_MAX: Final = 128
STREAM_IDLE_SECONDS_MAX: Final = 300.0

# The way from capture to corpus.
INGEST_RECORDS_MAX: Final = 64
INGEST_BATCH_BYTES_MAX: Final = 2 * MEBIBYTE
INGEST_INLINE_CONTENT_BYTES_MAX: Final = 1 * MEBIBYTE
INGEST_SOURCES_MAX: Final = 32_000
UPLOADED_CONTENT_SECONDS_MAX: Final = 86_400.0

# Addresses and texts.
URI_BYTES_MAX: Final = 16 * KIBIBYTE
TITLE_CODE_POINTS_MAX: Final = 2_000
SNIPPET_CODE_POINTS_MAX: Final = 4_000
METADATA_JSON_BYTES_MAX: Final = 256 * KIBIBYTE
QUOTE_CODE_POINTS_MAX: Final = 16 * KIBIBYTE

# Searching and listing.
QUERY_CODE_POINTS_MAX: Final = 4_096
QUERY_TERMS_MAX: Final = 64
FILTER_VALUES_MAX: Final = 16
FILTER_VALUE_CODE_POINTS_MAX: Final = 512
PAGE_TOKEN_BYTES_MAX: Final = 4 * KIBIBYTE
SEARCH_PAGE_SIZE_DEFAULT: Final = 10
SEARCH_PAGE_SIZE_MAX: Final = 100
SEARCH_HITS_PER_DOCUMENT_DEFAULT: Final = 3
SEARCH_GAMES_MAX: Final = 8
SUGGESTED_TEXT_CODE_POINTS_MAX: Final = 512
SUGGESTIONS_DEFAULT: Final = 8
SUGGESTIONS_MAX: Final = 20
FIND_PAGE_SIZE_DEFAULT: Final = 12
FIND_PAGE_SIZE_MAX: Final = 50
LIST_PAGE_SIZE_DEFAULT: Final = 50
LIST_PAGE_SIZE_MAX: Final = 500
GAMES_PAGE_SIZE_DEFAULT: Final = 100
RESOLVE_REFS_MAX: Final = 100
VERIFY_QUOTES_MAX: Final = 50
ANSWER_CODE_POINTS_MAX: Final = 65_536
LINK_SOURCES_MAX: Final = 100
REFRESH_SOURCES_MAX: Final = 20
REFRESH_TAKEN_MAX: Final = 20
OBSERVATIONS_SHOWN_MAX: Final = 100

# Reading.
READ_LINES_DEFAULT: Final = 200
READ_LINES_MAX: Final = 2_000
READ_CODE_POINTS_DEFAULT: Final = 16_000
READ_CODE_POINTS_MAX: Final = 200_000
READ_AROUND_LINES_DEFAULT: Final = 3
READ_AROUND_LINES_MAX: Final = 100
READ_HEADINGS_MAX: Final = 16
READ_DELIVERED_VERSIONS_MAX: Final = 16
READ_DELIVERED_RANGES_MAX: Final = 128
CHUNK_PAGE_SIZE_DEFAULT: Final = 50
CHUNK_PAGE_SIZE_MAX: Final = 100

# Differences of two texts: what is compared, and what is shown of it.
DIFF_TEXT_CODE_POINTS_MAX: Final = 2_000_000
DIFF_PAGE_SIZE_DEFAULT: Final = 50
DIFF_PAGE_SIZE_MAX: Final = 100
DIFF_CHANGE_CODE_POINTS_MAX: Final = 2_000
DIFF_WORDS_CODE_POINTS_MAX: Final = 20_000
DIFF_WORD_CHANGES_MAX: Final = 200

# Unary calls: without a deadline a call gets the default, a longer one is shortened.
UNARY_DEADLINE_SECONDS_DEFAULT: Final = 30.0
UNARY_DEADLINE_SECONDS_MAX: Final = 120.0
STREAM_UNARY_DEADLINE_SECONDS_MAX: Final = 600.0

# Calls under way at one server. Beyond them a call is refused at once, so that no queue grows.
UNARY_READS_MAX: Final = 128
UNARY_WRITES_MAX: Final = 64
CONTENT_STREAMS_MAX: Final = 32
SYSTEM_CALLS_MAX: Final = 64
BUSY_RETRY_SECONDS: Final = 0.5
REQUEST_ID_CHARACTERS_MAX: Final = 64

# Service processes.
DRAIN_SECONDS_DEFAULT: Final = 8.0
DRAIN_SECONDS_SECOND_SIGNAL: Final = 0.5
CALLBACK_SECONDS_MAX: Final = 30.0
TOKEN_FILE_BYTES_MAX: Final = 64 * KIBIBYTE
ACCESS_TOKEN_CHARACTERS_MIN: Final = 32
CONFIGURATION_FILE_BYTES_MAX: Final = 1 * MEBIBYTE

# Connections. A server tolerates pings that are at least 20 s apart, so clients ping every 30 s.
KEEPALIVE_CLIENT_SECONDS: Final = 30.0
KEEPALIVE_TIMEOUT_SECONDS: Final = 10.0
KEEPALIVE_SERVER_PING_INTERVAL_SECONDS_MIN: Final = 20.0
CONNECTION_IDLE_SECONDS_MAX: Final = 1_800.0
CONNECTION_AGE_SECONDS_MAX: Final = 14_400.0
CONNECTION_AGE_GRACE_SECONDS: Final = 600.0
KEEPALIVE_SERVER_SECONDS: Final = 60.0
# Calls of one connection; the server's own bounds are lower for each class of methods.
CONNECTION_CALLS_MAX: Final = 512
# gRPC core refuses metadata above this size; our error details stay far below.
METADATA_BYTES_MAX: Final = 16 * KIBIBYTE
