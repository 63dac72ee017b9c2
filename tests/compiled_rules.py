"""The compiled rules of redaction, made once before tests whose processes need them.

To compile them takes two seconds of a processor, and on a busy machine half a minute. A service or sidecar that a test
starts first would do it within the time that the test allows for its answers; afterwards each one reads the table.
"""

from capture_service.redaction import CompiledRules, RedactionKey, RedactionPolicy


def compile_rules() -> None:
    """Return when the table that services and sidecars of this user read is there."""
    RedactionPolicy.build(RedactionKey.from_bytes(bytes(32)), compiled=CompiledRules.of_user())
