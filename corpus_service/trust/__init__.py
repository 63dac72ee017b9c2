"""What readers may see and how far it can be believed. Pure."""

from corpus_service.trust.eligibility import Verdict, judge
from corpus_service.trust.witness import trust_of

__all__ = ["Verdict", "judge", "trust_of"]
