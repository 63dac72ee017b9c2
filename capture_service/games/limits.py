"""Every bound of the game directory, with its unit."""

from __future__ import annotations

from typing import Final

REFRESH_INTERVAL_SECONDS: Final = 5.0
# How old the directory may be for an envelope of a stream; a unary call takes none older than
# itself. A call to the corpus on the same machine costs less than a millisecond.
STREAM_AGE_SECONDS_MAX: Final = 0.1
# After a failure the cached directory serves as it is for this long, so that a corpus that does
# not answer costs one waiting caller at a time and not all of them.
FAILURE_PAUSE_SECONDS: Final = 1.0
CALL_SECONDS_MAX: Final = 2.0
RETRY_SECONDS: Final = 1.0
GAMES_MAX: Final = 100_000
