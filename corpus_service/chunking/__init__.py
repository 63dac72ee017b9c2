"""Chunking: spans into a version's normalised text, ready for the index and for citations.

Pure text work; it may import the standard library and the grapheme segmentation, nothing else.
"""

from corpus_service.chunking.chunks import Chunk, ChunkFormat, chunk_text, target_characters
from corpus_service.chunking.limits import DEFAULT, ChunkLimits
from corpus_service.chunking.structure import Heading, find_structure

__all__ = [
    "DEFAULT",
    "Chunk",
    "ChunkFormat",
    "ChunkLimits",
    "Heading",
    "chunk_text",
    "find_structure",
    "target_characters",
]
