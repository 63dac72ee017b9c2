"""Identity: canonical URIs, content hashes and ids, equal on every side that computes them.

Pure: no I/O, and beside the standard library only `idna`, so that clients can import it.
"""

from sourcecorpus.identity.client_ids import ClientIdGenerator
from sourcecorpus.identity.files import InvalidAliasError, PathAliases, file_uri
from sourcecorpus.identity.hashes import (
    ContentHasher,
    InvalidContentHashError,
    content_hash,
    is_content_hash,
    parse_content_hash,
)
from sourcecorpus.identity.hosts import UNICODE_VERSION
from sourcecorpus.identity.identifiers import (
    artifact_id,
    chunk_id,
    fingerprint,
    is_identifier,
    observation_id,
    read_identifier,
    source_id,
    version_id,
)
from sourcecorpus.identity.parameters import PARAMETER_DATA_VERSION
from sourcecorpus.identity.tools import InvalidArgumentsError, tool_uri
from sourcecorpus.identity.uri import CanonicalUri, canonicalise

__all__ = [
    "PARAMETER_DATA_VERSION",
    "UNICODE_VERSION",
    "CanonicalUri",
    "ClientIdGenerator",
    "ContentHasher",
    "InvalidAliasError",
    "InvalidArgumentsError",
    "InvalidContentHashError",
    "PathAliases",
    "artifact_id",
    "canonicalise",
    "chunk_id",
    "content_hash",
    "file_uri",
    "fingerprint",
    "is_content_hash",
    "is_identifier",
    "observation_id",
    "parse_content_hash",
    "read_identifier",
    "source_id",
    "tool_uri",
    "version_id",
]
