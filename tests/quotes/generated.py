"""Documents in five scripts, and quotations of them whose verdict is known from how they were made."""

from __future__ import annotations

import enum
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from corpus_service.services.quote_places import Verdict
from tests.reading.stocked import Stock

SEED: Final = 20_260_131
SENTENCES: Final = 60
SENTENCES_OF_A_PARAGRAPH: Final = 3


class Kind(enum.Enum):
    """How a quotation was made, with the verdict that follows."""

    EXACT = "exact"
    REFLOWED = "reflowed"
    RECASED = "re-cased"
    REQUOTED = "re-quoted"
    CHANGED = "one word changed"
    OTHER_VERSION = "from another version"
    OTHER_DOCUMENT = "from another document"
    INVENTED = "invented"

    @property
    def verdict(self) -> Verdict:
        if self is Kind.EXACT:
            return Verdict.EXACT
        if self in (Kind.REFLOWED, Kind.RECASED, Kind.REQUOTED):
            return Verdict.NORMALISED
        if self in (Kind.OTHER_VERSION, Kind.OTHER_DOCUMENT):
            return Verdict.ELSEWHERE
        return Verdict.ABSENT


@dataclass(frozen=True)
class Script:
    """Words of a language, a sentence of them, and how its lines break."""

    name: str
    pattern: str
    who: tuple[str, ...]
    what: tuple[str, ...]
    where: tuple[str, ...]
    spaced: bool
    between: str


SCRIPTS: Final = (
    Script(
        "English",
        "{who} of Emberfall {what} {number} coins at the “{where}” before dawn.",
        ("The keeper", "The smith", "A miller", "The warden", "One captain", "No widow"),
        ("buried", "counted", "never found", "owes", "stole back", "gave away"),
        ("north gate", "old harbour", "lower shaft", "salt market", "broken mill"),
        spaced=True,
        between=" ",
    ),
    Script(
        "Chinese",
        "{who}在Emberfall的“{where}”{what}了{number}枚金币，黎明之前没有人知道。",
        ("守门人", "铁匠", "磨坊主", "老船长", "看守", "商人"),
        ("埋下", "数过", "偷走", "欠下", "送出", "丢失"),
        ("北门", "旧港口", "深矿井", "盐市场", "破磨坊"),
        spaced=False,
        between="",
    ),
    Script(
        "Japanese",
        "{who}はEmberfallの“{where}”で金貨を{number}枚{what}、夜明けまで「誰にも」話さなかった。",
        ("門番", "鍛冶屋", "粉屋", "船長", "見張り", "ショウニン"),
        ("埋めて", "数えて", "盗んで", "借りて", "配って", "なくして"),
        ("北の門", "古い港", "深い坑道", "塩の市場", "壊れた水車"),
        spaced=False,
        between="",
    ),
    Script(
        "Korean",
        "{who} Emberfall의 ‘{where}’에서 금화 {number}개를 {what} 새벽까지 아무 말도 하지 않았다.",
        ("문지기는", "대장장이는", "방앗간 주인은", "선장은", "파수꾼은", "상인은"),
        ("묻고", "세고", "훔치고", "빌리고", "나누고", "잃고"),
        ("북쪽 문", "오래된 항구", "깊은 갱도", "소금 시장", "부서진 물레방아"),
        spaced=True,
        between=" ",
    ),
    Script(
        "Arabic",
        "{what} {who} في Emberfall عند «{where}» {number} قطعة ذهبية قبل الفجر ولم يخبر أحدا.",
        ("الحارس", "الحداد", "الطحان", "القبطان", "التاجر", "الراعي"),
        ("دفن", "عد", "سرق", "أخفى", "وزع", "فقد"),
        ("البوابة الشمالية", "الميناء القديم", "المنجم العميق", "سوق الملح", "الطاحونة"),
        spaced=True,
        between=" ",
    ),
)
_MARKS: Final = str.maketrans(
    {"“": '"', "”": "„", "‘": "'", "’": "‹", "«": "“", "»": '"'}  # each another of its kind
)


@dataclass(frozen=True)
class Made:
    """A quotation, the version that is asked, and the version that holds it ("" where none)."""

    kind: Kind
    quote: str
    asked: str
    holder: str


def made_quotes(stock: Stock, script: Script, count_of_each: int) -> Iterator[Made]:
    """Stores the documents of a script and makes quotations of every kind."""
    chance = random.Random(f"{SEED}-{script.name}")
    known: set[str] = set()
    first = _sentences(script, chance, known)
    second = _sentences(script, chance, known)
    fresh = _sentences(script, chance, known)
    renewed = [fresh[at] if at % 2 else sentence for at, sentence in enumerate(first)]
    address = f"https://example.org/{script.name.lower()}"
    old, new = (stock.add(address, _text(script, sentences)) for sentences in (first, renewed))
    other = stock.add(f"{address}/other", _text(script, second))
    for number in range(count_of_each):
        for kind in Kind:
            asked, holder, sentences = new, new, renewed
            if kind is Kind.OTHER_VERSION:
                asked, holder, sentences = (new, old, first) if number % 2 else (old, new, renewed)
            elif kind is Kind.OTHER_DOCUMENT:
                holder, sentences = other, second
            elif kind.verdict is Verdict.ABSENT:
                holder = ""
            # Odd sentences are those that tell the two versions apart.
            at = chance.randrange(len(sentences) // 2 - 1) * 2 + 1
            yield Made(kind, _quote(script, kind, sentences, at, chance, known), asked, holder)


def _sentences(script: Script, chance: random.Random, known: set[str]) -> list[str]:
    sentences: list[str] = []
    while len(sentences) < SENTENCES:
        sentence = _sentence(script, chance)
        if sentence not in known:
            known.add(sentence)
            sentences.append(sentence)
    return sentences


def _sentence(script: Script, chance: random.Random) -> str:
    return script.pattern.format(
        who=chance.choice(script.who),
        what=chance.choice(script.what),
        where=chance.choice(script.where),
        number=chance.randrange(100, 1_000),
    )


def _text(script: Script, sentences: list[str]) -> str:
    paragraphs = [
        script.between.join(sentences[at : at + SENTENCES_OF_A_PARAGRAPH])
        for at in range(0, len(sentences), SENTENCES_OF_A_PARAGRAPH)
    ]
    return "\n".join(paragraphs) + "\n"


def _quote(
    script: Script,
    kind: Kind,
    sentences: list[str],
    at: int,
    chance: random.Random,
    known: set[str],
) -> str:
    sentence = sentences[at]
    if kind is Kind.REFLOWED:
        return _reflowed(script, sentence, chance)
    if kind is Kind.RECASED:
        return sentence.swapcase()
    if kind is Kind.REQUOTED:
        return sentence.translate(_MARKS)
    if kind in (Kind.CHANGED, Kind.INVENTED):
        return _unknown(script, kind, sentence, chance, known)
    # Another sentence belongs to it where the paragraph goes on.
    whole = script.between.join(sentences[at : at + 2])
    return whole if (at + 1) % SENTENCES_OF_A_PARAGRAPH else sentence


def _reflowed(script: Script, sentence: str, chance: random.Random) -> str:
    if script.spaced:
        words = sentence.split(" ")
        broken = chance.randrange(1, len(words))
        return " ".join(words[:broken]) + chance.choice(("\n", "  ", "\r\n\t")) + " ".join(
            words[broken:]
        )  # fmt: skip
    places = [
        place
        for place in range(1, len(sentence))
        if not (sentence[place - 1].isascii() or sentence[place].isascii())
    ]
    place = chance.choice(places)
    return sentence[:place] + chance.choice(("\n", "\u3000", " ")) + sentence[place:]


def _unknown(
    script: Script, kind: Kind, sentence: str, chance: random.Random, known: set[str]
) -> str:
    """A sentence that no document holds: one word of a known one changed, or all of it made up."""
    while True:
        candidate = _sentence(script, chance)
        if kind is Kind.CHANGED:
            words = chance.choice((script.who, script.what, script.where))
            present = next(word for word in words if word in sentence)
            candidate = sentence.replace(present, chance.choice(words))
        if candidate not in known:
            return candidate
