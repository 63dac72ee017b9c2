"""Facets between messages and use cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from corpus_service.domain.queries import DocumentCounts, FacetField
from corpus_service.search.limits import FACET_VALUES_MAX
from corpus_service.services.failures import invalid
from sourcecorpus.corpus.v1 import search_service_pb2

_FIELDS: Final = frozenset(field.value for field in FacetField)


def facet_fields(values: Sequence[int]) -> tuple[FacetField, ...]:
    """Reads the facets of a request, each once.

    Raises:
        Failure: INVALID_ARGUMENT with the field.
    """
    for number, value in enumerate(values):
        if value not in _FIELDS:
            raise invalid("FIELD_INVALID", f"facets[{number}]")
    return tuple(dict.fromkeys(FacetField(value) for value in values))


def counts_message(counts: DocumentCounts | None) -> search_service_pb2.FacetCounts | None:
    """Returns counts as a message; None leaves the field absent."""
    if counts is None:
        return None
    return search_service_pb2.FacetCounts(
        documents=counts.documents,
        at_least=counts.at_least,
        facets=[_facet(field, values) for field, values in counts.by_field.items()],
    )


def _facet(field: FacetField, values: Mapping[str, int]) -> search_service_pb2.Facet:
    most_first = sorted(values.items(), key=lambda entry: (-entry[1], entry[0]))
    return search_service_pb2.Facet(
        field=search_service_pb2.FacetField.ValueType(field),
        values=[
            search_service_pb2.FacetValue(value=value, documents=documents)
            for value, documents in most_first[:FACET_VALUES_MAX]
        ],
        other_documents=sum(documents for _, documents in most_first[FACET_VALUES_MAX:]),
    )
