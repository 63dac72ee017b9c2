"""Manual pages as plain text: just enough of roff for a corpus, no typesetting."""

from __future__ import annotations

import re
from typing import Final

_COMMENT: Final = re.compile(r'^[.\']\\".*$|\\".*$', re.MULTILINE)
_DEFINITION: Final = re.compile(r"^\.(?:de|ig|am)\b.*?^\.\.[ \t]*$", re.MULTILINE | re.DOTALL)
_ESCAPE: Final = re.compile(
    r"\\(?:f(?:\[[^\]]*\]|\(..|.)|s[+-]?\d+|\*(?:\[[^\]]*\]|\(..|.)|\((..)|\[([^\]]*)\]|(.))"
)
_GLYPHS: Final = {
    "aq": "'", "cq": "'", "oq": "'", "dq": '"', "lq": '"', "rq": '"', "em": " - ", "en": "-",
    "e": "\\", "-": "-", "~": " ", " ": " ", "0": " ", "'": "'", "`": "`", ".": ".", "&": "",
}  # fmt: skip
_WORD: Final = re.compile(r'"([^"]*)"|(\S+)')
_SECTIONS: Final = frozenset({"SH", "SS", "Sh", "Ss"})
_SILENT: Final = frozenset({
    "ad", "br", "ce", "Dd", "ds", "el", "fi", "ft", "hy", "ie", "if", "in", "IX", "ll", "na", "ne",
    "nf", "nh", "nr", "Os", "PD", "PP", "LP", "P", "Pp", "rm", "RE", "RS", "so", "sp", "TE", "ti",
    "tr", "TS", "ta",
})  # fmt: skip
_DESCRIPTION: Final = re.compile(r".{1,200}?\s[-\u2013\u2014]+\s+(.+)", re.DOTALL)


def text_of_manual(source: str) -> tuple[str, str]:
    """Returns the text of a page and its one-line description, "" where it has none."""
    lines: list[str] = []
    names: list[str] = []
    sections = 0
    for line in _plain(source).splitlines():
        macro, text = _macro(line)
        if macro in _SILENT:
            continue
        if macro in _SECTIONS:
            sections += 1
            lines += ["", text]
            continue
        if macro == "Nd":
            text = f"- {text}"
        if sections == 1 and macro != "TH":
            names.append(text)
        lines.append(text)
    found = _DESCRIPTION.match(" ".join(" ".join(names).split()))
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    return f"{text}\n", found[1].rstrip(" .\u3002") if found else ""


def _plain(source: str) -> str:
    source = _DEFINITION.sub("", _COMMENT.sub("", source))
    return _ESCAPE.sub(
        lambda found: _GLYPHS.get(found[1] or found[2] or found[3] or "", ""), source
    )


def _macro(line: str) -> tuple[str, str]:
    """Splits a line into its macro, "" for text, and what is read."""
    if not line.startswith((".", "'")):
        return "", line.rstrip()
    macro, _, rest = line[1:].strip().partition(" ")
    words = [quoted or bare for quoted, bare in _WORD.findall(rest)]
    # Macros of two fonts set their words without spaces.
    joiner = "" if len(macro) == 2 and set(macro) <= set("BIR") else " "
    return macro or "ad", joiner.join(words)
