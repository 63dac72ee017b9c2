"""Errors of the redaction package. None of them carries payload text."""


class RedactionRefused(Exception):  # noqa: N818  a refusal is an outcome of the contract
    """The message could not be redacted and must not be stored, logged or passed on.

    Attributes:
        reason: One UPPER_SNAKE word, for example ``WORK_BUDGET_EXCEEDED`` or ``STRUCTURE_TOO_LARGE``.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ConfigurationError(Exception):
    """A redaction configuration was refused.

    Attributes:
        position: Where the fault stands, as a path into the configuration such as ``rules[2].pattern``.
        problem: What is wrong with it. Never the configured value.
    """

    def __init__(self, position: str, problem: str) -> None:
        super().__init__(f"{position}: {problem}")
        self.position = position
        self.problem = problem


class KeyFileError(Exception):
    """The key file cannot be used: wrong permissions, length or owner."""
