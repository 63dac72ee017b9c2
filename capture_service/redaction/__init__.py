"""Redaction: no secret reaches a disk, no ordinary byte is touched.

Importing this package loads no matching engine; hyperscan or RE2 is loaded when a policy is compiled.
"""

from capture_service.redaction.compiled import CompiledRules
from capture_service.redaction.configuration import RedactionConfiguration, load_configuration
from capture_service.redaction.errors import ConfigurationError, KeyFileError, RedactionRefused
from capture_service.redaction.literals import SessionMemory
from capture_service.redaction.names import SECRET_PARAMETER_NAMES, is_secret_parameter
from capture_service.redaction.placeholder import RedactionKey
from capture_service.redaction.policy import RedactionPolicy
from capture_service.redaction.redactor import Redactor, StreamingRedactor
from capture_service.redaction.result import Finding, HeadersResult, RedactionResult, TextResult

__all__ = [
    "SECRET_PARAMETER_NAMES",
    "CompiledRules",
    "ConfigurationError",
    "Finding",
    "HeadersResult",
    "KeyFileError",
    "RedactionConfiguration",
    "RedactionKey",
    "RedactionPolicy",
    "RedactionRefused",
    "RedactionResult",
    "Redactor",
    "SessionMemory",
    "StreamingRedactor",
    "TextResult",
    "is_secret_parameter",
    "load_configuration",
]
