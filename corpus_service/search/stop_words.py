"""Words that carry no subject. A search leaves them out only after it found nothing with them.

English function words alone: in other languages of the corpus the candidates are words of their own
in English or in names ("die", "war", "man"), and runs without spaces have no words to leave out.
"""

from __future__ import annotations

from typing import Final

_WORDS: Final = """
    a an and are as at be been being but by can could did do does for from had has have he
    her his how i if in into is it its me my no not of on or our she should so such than
    that the their them then there these they this those to was we were what when where
    which while who why will with would you your
"""

STOP_WORDS: Final = frozenset(_WORDS.split())
