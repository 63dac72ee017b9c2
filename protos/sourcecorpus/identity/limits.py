"""Named limits of `sourcecorpus.identity`, each with its unit."""

from typing import Final

MAXIMUM_URI_CODE_POINTS: Final = 65_536
"""Longest URI that is canonicalised, in code points, before and after. Beyond it: unchanged."""

MAXIMUM_HOST_CODE_POINTS: Final = 1_024
"""Longest host that is canonicalised, in code points, before and after percent-decoding.

A DNS name has at most 253 characters (RFC 1035 section 2.3.4). The rest is room for escapes; the
bound exists because Punycode is quadratic in the length of a label.
"""

MAXIMUM_CACHED_HOSTS: Final = 4_096
"""Entries of the cache of canonical hosts; a crawl or a map repeats few hosts many times."""

MAXIMUM_PARAMETER_NAME_CODE_POINTS: Final = 128
"""Longest parameter name that is compared with the lists, in code points. Longer ones stay."""

MAXIMUM_CACHED_PARAMETER_NAMES: Final = 8_192
"""Entries of the cache of classified parameter names."""

MAXIMUM_TOOL_URI_CODE_POINTS: Final = 4_096
"""Longest `tool:` URI that spells its arguments, in code points. Beyond it their digest stands."""

MAXIMUM_ARGUMENT_DEPTH: Final = 64
"""Deepest nesting of lists and objects in the arguments of a `tool:` URI, in levels."""

MAXIMUM_IDENTIFIER_CODE_POINTS: Final = 64
"""Longest text that is looked at as an identifier somebody typed, in code points."""
