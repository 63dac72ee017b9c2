"""Turns a fault into one clear line and an exit code."""

from __future__ import annotations

import json
import sys

from sourcecorpus.rpc.failures import Failure, FailureCode


class CommandError(Exception):
    """A command cannot go on; the message is for the person at the terminal."""


def report_fault(error: Exception, *, as_json: bool) -> int:
    """Print the fault on standard error and give the exit code.

    Args:
        error: The fault. A gRPC error is read for its reason and field; an unknown exception shows its type alone,
            because its text may hold payload.
        as_json: Print one JSON object instead of a line.
    """
    facts = _facts_of(error)
    if as_json:
        print(json.dumps({"error": facts}), file=sys.stderr)
    else:
        print("source-corpus: " + _line_of(facts), file=sys.stderr)
    return 3 if facts.get("code") == "UNAVAILABLE" else 1


def _facts_of(error: Exception) -> dict[str, str]:
    import grpc

    from sourcecorpus.bridge.envelope_files import EnvelopeFileError
    from sourcecorpus.rpc.settings import SettingsError
    from sourcecorpus.rpc.status import failure_from_rpc_error

    if isinstance(error, grpc.RpcError):
        error = failure_from_rpc_error(error)
    if isinstance(error, Failure):
        facts = {"code": error.code.name, "reason": error.reason, "field": error.field}
        if error.code is FailureCode.UNAVAILABLE:
            facts["message"] = "a service cannot be reached; start both with: source-corpus up"
        return {key: value for key, value in facts.items() if value}
    if isinstance(error, CommandError | SettingsError | EnvelopeFileError):
        return {"message": str(error)}
    if isinstance(error, UnicodeEncodeError):
        # Bytes that are no text come in as lone surrogates, which no request can carry.
        return {"message": "an argument or a line of the input is not UTF-8"}
    if isinstance(error, OSError):
        return {"message": f"{error.filename or 'input/output'}: {error.strerror}"}
    if isinstance(error, ModuleNotFoundError):
        return {"message": f"needs the Python package {error.name}: install source-corpus[all]"}
    return {"message": f"unexpected {type(error).__name__}"}


def _line_of(facts: dict[str, str]) -> str:
    parts = [facts[key] for key in ("code", "reason") if key in facts]
    if "field" in facts:
        parts.append(f"field {facts['field']}")
    if "message" in facts:
        parts.append(facts["message"])
    return ": ".join(parts)
