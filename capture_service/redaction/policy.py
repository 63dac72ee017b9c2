"""The compiled policy: rule tables and configuration of one installation, with the version that captures record."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from capture_service.redaction.compiled import CompiledRules
from capture_service.redaction.configuration import RedactionConfiguration, ScopeConfiguration
from capture_service.redaction.engine import Trigger, TriggerEngine, build_engine
from capture_service.redaction.families import Family, core_triggers
from capture_service.redaction.literals import LiteralSearch
from capture_service.redaction.placeholder import RedactionKey
from capture_service.redaction.token_rules import TokenRule, escape, token
from capture_service.redaction.token_table_development import DEVELOPMENT_TOKENS
from capture_service.redaction.token_table_keys import KEY_FILE_TOKENS
from capture_service.redaction.token_table_services import SERVICE_TOKENS
from capture_service.redaction.tokens import TokenRules
from capture_service.redaction.vocabulary import CLOSERS

RULE_TABLE_EDITION: Final = "2026.12"
"""Edition of the rules that are code; the patterns add a digest of their own."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What holds for one game: the installation's scope joined with the game's."""

    sensitive_names: tuple[str, ...]
    sensitive_pointers: tuple[str, ...]
    personal_data: frozenset[str]
    allowed: frozenset[bytes]


@dataclass(frozen=True, slots=True)
class RedactionPolicy:
    """Rules, key and configuration of one installation.

    Attributes:
        key: Key of the placeholders.
        rule_set_version: Edition, digest of the patterns, and digest of the configuration if there is one. A change
            of it changes content hashes.
        engine: The trigger engine with all triggers.
        tokens: The typed token table.
        scope: What holds for games without a table of their own.
        games: Scopes of single games.
        literals: Search for configured secrets, or None.
    """

    key: RedactionKey
    rule_set_version: str
    engine: TriggerEngine = field(repr=False)
    tokens: TokenRules = field(repr=False)
    scope: Scope
    games: Mapping[str, Scope]
    literals: LiteralSearch | None = field(repr=False)

    @property
    def key_id(self) -> str:
        """Id of the key, stored with every capture."""
        return self.key.key_id

    @classmethod
    def build(
        cls,
        key: RedactionKey,
        configuration: RedactionConfiguration | None = None,
        *,
        engine: str = "",
        compiled: CompiledRules | None = None,
    ) -> "RedactionPolicy":
        """Compile the policy.

        Args:
            key: Key of the placeholders.
            configuration: What the installation adds, or None.
            engine: ``hyperscan`` or ``re2`` to insist on one; by default the best that is installed.
            compiled: Where the compiled rules are kept between starts; None compiles them anew.

        Raises:
            ImportError: No matching engine is installed.
        """
        configuration = configuration or RedactionConfiguration()
        rules = (
            *_configured_rules(configuration),
            *DEVELOPMENT_TOKENS,
            *SERVICE_TOKENS,
            *KEY_FILE_TOKENS,
        )
        tokens = TokenRules(rules, Family.TOKEN, Family.FIRST_INNER)
        scopes = {
            game: _join(configuration.scope, scope) for game, scope in configuration.games.items()
        }
        default = _join(configuration.scope, ScopeConfiguration())
        triggers = core_triggers(
            default.personal_data.union(*(scope.personal_data for scope in scopes.values()))
        )
        triggers += tokens.triggers
        names = {name for scope in (default, *scopes.values()) for name in scope.sensitive_names}
        triggers += [_name_trigger(name) for name in sorted(names)]
        return cls(
            key=key,
            rule_set_version=_version(triggers, rules, configuration),
            engine=build_engine(triggers, engine, compiled),
            tokens=tokens,
            scope=default,
            games=scopes,
            literals=LiteralSearch(configuration.literals) if configuration.literals else None,
        )

    def scope_of(self, game_id: str) -> Scope:
        """Return the scope of a game."""
        return self.games.get(game_id, self.scope)


def _join(installation: ScopeConfiguration, game: ScopeConfiguration) -> Scope:
    return Scope(
        sensitive_names=installation.sensitive_names + game.sensitive_names,
        sensitive_pointers=installation.sensitive_pointers + game.sensitive_pointers,
        personal_data=installation.personal_data | game.personal_data,
        allowed=frozenset(
            allowance.value for allowance in installation.allowances + game.allowances
        ),
    )


def _configured_rules(configuration: RedactionConfiguration) -> list[TokenRule]:
    return [
        token(rule.name, rule.prefix, rule.body, count=0, judged=False)
        for rule in configuration.rules
    ]


def _name_trigger(name: str) -> Trigger:
    literal = max(re.split(r"[*?\[\]]+", name), key=len)
    pattern = escape(literal.encode("utf-8")) + rb"[\w.-]{0,40}" + CLOSERS + rb"[ \t]{0,8}[:=]"
    return Trigger(Family.CONFIGURED_NAME, pattern, ignore_case=True)


def _version(
    triggers: list[Trigger], rules: tuple[TokenRule, ...], configuration: RedactionConfiguration
) -> str:
    digest = hashlib.sha256()
    for trigger in triggers:
        digest.update(b"%d\0%s\0" % (trigger.family, trigger.pattern))
    for rule in rules:
        digest.update(rule.name.encode() + b"\0" + rule.confirm.pattern + b"\0")
    version = f"{RULE_TABLE_EDITION}-{digest.hexdigest()[:12]}"
    if configuration == RedactionConfiguration():
        return version
    own = hashlib.sha256(
        repr(
            (configuration.scope, sorted(configuration.games.items()), configuration.rules)
        ).encode()
    )
    for literal in configuration.literals:
        own.update(hashlib.sha256(b"literal\0" + literal).digest())
    return f"{version}+{own.hexdigest()[:12]}"
