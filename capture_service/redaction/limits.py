"""Named limits of the redaction package, each with its unit.

Work is counted in bytes looked at, never in seconds: a clock would make the output, and so the content
hash, depend on the load of the machine.
"""

from typing import Final

COMPILED_BYTES_MAX: Final = 64 << 20
"""Bytes of one compiled rule table that is kept between starts; the present one has 1.6 MB."""

COMPILED_FILES_MAX: Final = 8
"""Compiled rule tables that are kept; each set of rules and each release of the library has its own."""

MAX_NAME_BYTES: Final = 96
"""Bytes looked at to the left of an operator for the name of an assignment."""

MAX_PARAMETER_NAME_BYTES: Final = 40
"""Bytes of the name of a URL parameter before its sensitive end."""

MAX_VALUE_BYTES: Final = 4096
"""Bytes of one assigned value, cookie list or header value that a rule looks at."""

MAX_TOKEN_BYTES: Final = 8192
"""Bytes of one vendor token, longest known forms (signed tokens with claims) included."""

MAX_TOKEN_BREAKS: Final = 8
"""Line breaks or string concatenations inside one token that are looked through."""

MAX_KEY_BLOCK_BYTES: Final = 20_480
"""Bytes of one private key block; RSA 16384 in PEM is about 12,700."""

MAX_TABLE_ROWS: Final = 256
"""Rows below a table header whose cells are judged."""

MAX_TABLE_BYTES: Final = 16_384
"""Bytes below a table header that are looked at."""

MAX_DECODED_BYTES: Final = 65_536
"""Bytes of one encoded run that are decoded and scanned again."""

MAX_NESTED_KEYS: Final = 4
"""Operators inside one bare value; beyond it the whole value is masked."""

MAX_VERDICTS: Final = 1_024
"""Verdicts of each judge on values that are remembered while a message is redacted."""

LEAD_CONTEXT_BYTES: Final = 200
"""Bytes before a word of a protocol that are looked at for the login it belongs to."""

MAX_PLACED_BYTES: Final = 256
"""Bytes of a value that its place alone makes a secret."""

MAX_PLACED_LINE_BYTES: Final = 400
"""Bytes to the left and to the right that are looked at to tell the place of a value."""

WIDE_SAMPLE_BYTES: Final = 1_024
"""First bytes of a message that decide whether it is text of two or four bytes per character."""

MAX_MANIFEST_BYTES: Final = 8_192
"""Bytes before and behind the kind of a Kubernetes secret in which its values are looked for."""

MAX_STATE_BYTES: Final = 2_048
"""Bytes behind the name of a generated resource in a Terraform state in which its values are looked for."""

SEGMENT_BYTES: Final = 262_144
"""Bytes after which a long message is cut at the next safe place."""

LOOKAHEAD_BYTES: Final = 32_768
"""Bytes behind a cut that a rule may look at: longer than the longest span of any rule."""

CONTEXT_BYTES: Final = 4_096
"""Bytes before a cut that stay visible to rules that look to the left."""

WORK_PER_BYTE: Final = 512
"""Bytes that all rules together may look at per byte of a message."""

WORK_FLOOR_BYTES: Final = 4_194_304
"""Bytes that rules may look at in any message, however short."""

MAX_STRUCTURED_BYTES: Final = 16_777_216
"""Bytes of a JSON message that is walked for configured fields."""

MAX_STRUCTURED_DEPTH: Final = 64
"""Nesting of a JSON message that is walked for configured fields."""

MAX_NESTED_STRINGS: Final = 4
"""JSON texts inside strings of JSON texts that configured pointers enter."""

MIN_REMEMBERED_BYTES: Final = 8
"""Shortest secret that is remembered for a conversation."""

MAX_REMEMBERED_BYTES: Final = 4_096
"""Longest secret that is remembered for a conversation."""

MAX_REMEMBERED_SECRETS: Final = 256
"""Secrets remembered per conversation; the oldest is forgotten first."""

MIN_LITERAL_BYTES: Final = 8
"""Shortest configured literal secret."""

MAX_LITERALS: Final = 1_024
"""Configured literal secrets per installation."""

MAX_CONFIGURED_RULES: Final = 256
"""Extra rules per installation."""

MAX_CONFIGURATION_BYTES: Final = 1_048_576
"""Bytes of a configuration file."""
