"""Personal data: e-mail addresses, phone numbers in international form, payment card numbers. Off by default.

Sources: RFC 5321 (addresses), ITU-T E.164 (up to 15 digits), ISO/IEC 7812 (issuer ranges and check digit).
"""

import re
from typing import Final

from capture_service.redaction.scan import LOOSE, Scan

PERSONAL_DATA_KINDS: Final = ("email", "phone", "card")

_EMAIL_LEFT: Final = re.compile(rb"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}\Z")
_EMAIL_RIGHT: Final = re.compile(
    rb"[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}\.)+[A-Za-z]{2,24}(?![A-Za-z0-9])"
)
_PHONE: Final = re.compile(rb"\+[1-9](?:[ .()/-]{0,2}\d){6,14}(?!\d)")
_CARD: Final = re.compile(
    rb"(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|3[47]\d\d|6(?:011|5\d\d))(?:[ -]?\d){8,15}(?!\d)"
)


def passes_luhn(digits: bytes) -> bool:
    """Say whether digits end in the check digit of ISO/IEC 7812."""
    total = 0
    for index, byte in enumerate(reversed(digits)):
        value = byte - 48
        if index % 2:
            value = value * 2 - 9 if value > 4 else value * 2
        total += value
    return total % 10 == 0


def confirm_email(scan: Scan, at: int) -> None:
    """Mask the address around the ``@`` at `at`."""
    left = _EMAIL_LEFT.search(scan.data, max(0, at - 64), at)
    right = _EMAIL_RIGHT.match(scan.data, at + 1, at + 256)
    scan.budget.spend(160)
    if left is None or right is None or scan.touches_placeholder(left.start(), right.end()):
        return
    start = left.start()
    for escape in (b"\\n", b"\\t", b"\\r"):
        if scan.data[start - 1 : start + 1] == escape:
            start += 1
    scan.add(start, right.end(), LOOSE, "email")


def confirm_phone(scan: Scan, start: int) -> None:
    """Mask the phone number whose ``+`` stands at `start`."""
    match = _PHONE.match(scan.data, start, start + 40)
    if match is not None and scan.at_edge(start):
        scan.add(*match.span(), LOOSE, "phone")


def confirm_card(scan: Scan, start: int) -> None:
    """Mask the payment card number that begins at `start`."""
    if (start and 48 <= scan.data[start - 1] <= 57) or not scan.at_edge(start):
        return
    match = _CARD.match(scan.data, start, start + 40)
    if match is None:
        return
    digits = re.sub(rb"\D", b"", match.group())
    if 13 <= len(digits) <= 19 and passes_luhn(digits) and len(set(digits)) > 1:
        scan.add(*match.span(), LOOSE, "card")
