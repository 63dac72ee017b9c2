"""What was inserted into and deleted from a sequence of numbers, with bounded work.

Items that occur once on each side are anchors (patience diff, Bram Cohen); between them the shortest
edit script is searched (E. W. Myers, An O(ND) Difference Algorithm and Its Variations, 1986). Where that
would cost more than allowed, the whole region counts as replaced and is marked as coarse.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpus_service.differences.limits import EDITS_MAX


@dataclass(frozen=True, slots=True)
class Region:
    """Items ``[first, last)`` of the old sequence that stand where ``[new_first, new_last)`` of the new one do.

    ``coarse``: it was not looked whether parts of the region are equal.
    """

    first: int
    last: int
    new_first: int
    new_last: int
    coarse: bool = False


class Budget:
    """Steps that may still be made."""

    def __init__(self, steps: int) -> None:
        self._steps = steps

    def spend(self, steps: int) -> bool:
        """Takes steps; False where there are too few left, and then nothing more is to be had."""
        self._steps = self._steps - steps if self._steps >= steps else -1
        return self._steps >= 0


def changed_regions(old: Sequence[int], new: Sequence[int], budget: Budget) -> list[Region]:
    """Returns what differs, in order; regions neither touch nor overlap.

    Args:
        old: Items of the old sequence; equal items are equal numbers.
        new: Items of the new one.
        budget: Steps for all of it.
    """
    found: list[Region] = []
    waiting = [Region(0, len(old), 0, len(new))]
    while waiting:
        region = _trimmed(old, new, waiting.pop())
        if region.first == region.last or region.new_first == region.new_last:
            if region.first < region.last or region.new_first < region.new_last:
                found.append(region)
            continue
        size = region.last - region.first + region.new_last - region.new_first
        if not budget.spend(size):
            found.append(_coarse(region))
            continue
        anchors = _anchors(old, new, region)
        if anchors:
            waiting += _between(region, anchors)
        else:
            found += _shortest(old, new, region, budget)
    return _joined(sorted(found, key=lambda region: (region.first, region.new_first)))


def _trimmed(old: Sequence[int], new: Sequence[int], region: Region) -> Region:
    first, last = region.first, region.last
    new_first, new_last = region.new_first, region.new_last
    while first < last and new_first < new_last and old[first] == new[new_first]:
        first, new_first = first + 1, new_first + 1
    while first < last and new_first < new_last and old[last - 1] == new[new_last - 1]:
        last, new_last = last - 1, new_last - 1
    return Region(first, last, new_first, new_last)


def _coarse(region: Region) -> Region:
    return Region(region.first, region.last, region.new_first, region.new_last, coarse=True)


def _anchors(old: Sequence[int], new: Sequence[int], region: Region) -> list[tuple[int, int]]:
    """Pairs of places of items that occur once on each side, rising on both: the most there are."""
    counts = Counter(old[region.first : region.last])
    new_counts = Counter(new[region.new_first : region.new_last])
    places = {
        new[place]: place
        for place in range(region.new_first, region.new_last)
        if new_counts[new[place]] == 1
    }
    pairs = [
        (place, places[old[place]])
        for place in range(region.first, region.last)
        if counts[old[place]] == 1 and old[place] in places
    ]
    return _longest_rising(pairs)


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of pairs, sorted by their first place, whose second places rise too."""
    ends: list[int] = []
    tops: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        position = bisect_left(ends, place)
        before.append(tops[position - 1] if position else -1)
        if position == len(ends):
            ends.append(place)
            tops.append(number)
        else:
            ends[position], tops[position] = place, number
    found: list[tuple[int, int]] = []
    number = tops[-1] if tops else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _between(region: Region, anchors: Sequence[tuple[int, int]]) -> Iterator[Region]:
    first, new_first = region.first, region.new_first
    for place, new_place in anchors:
        yield Region(first, place, new_first, new_place)
        first, new_first = place + 1, new_place + 1
    yield Region(first, region.last, new_first, region.new_last)


def _shortest(
    old: Sequence[int], new: Sequence[int], region: Region, budget: Budget
) -> list[Region]:
    """The shortest edit script of a region, or the region as a whole where that costs too much."""
    height, width = region.last - region.first, region.new_last - region.new_first
    edits_max = min(height + width, EDITS_MAX)
    # The farthest place of the old side on each diagonal, after each number of edits; -1 for none.
    farthest = array("i", [-1]) * (2 * edits_max + 3)
    history: list[array[int]] = []
    middle = edits_max + 1
    for edits in range(edits_max + 1):
        history.append(farthest[middle - edits - 1 : middle + edits + 2])
        steps = 0
        for diagonal in range(-_reach(edits, width), _reach(edits, height) + 1, 2):
            place = begin = _next(history[-1], edits, diagonal, height, width)[0]
            new_place = place - diagonal
            while (
                0 <= place < height
                and new_place < width
                and old[region.first + place] == new[region.new_first + new_place]
            ):
                place, new_place = place + 1, new_place + 1
            farthest[middle + diagonal] = place
            steps += 1 + place - begin
            if place == height and new_place == width:
                return list(_edits(history, region, height, width))
        if not budget.spend(steps):
            break
    return [_coarse(region)]


def _reach(edits: int, size: int) -> int:
    """The outermost diagonal on one side that as many edits lead to: of their parity, on the grid."""
    return edits if edits <= size else size - (edits - size) % 2


def _next(
    farthest: Sequence[int], edits: int, diagonal: int, height: int, width: int
) -> tuple[int, bool]:
    """The farthest place on a diagonal by one more edit, -1 for none, and whether it inserts.

    ``farthest`` holds the diagonals from ``-edits - 1`` to ``edits + 1``. A place beyond an end is none: no
    shortest script comes back from there.
    """
    if not edits:
        return 0, True
    above, left = farthest[diagonal + edits + 2], farthest[diagonal + edits]
    inserted = above if 0 <= above <= width + diagonal else -1
    deleted = left + 1 if 0 <= left < height else -1
    return (inserted, True) if inserted >= deleted else (deleted, False)


def _edits(
    history: Sequence[Sequence[int]], region: Region, height: int, width: int
) -> Iterator[Region]:
    """The single insertions and deletions that lead to the end of a region, last one first."""
    diagonal = height - width
    for edits in range(len(history) - 1, 0, -1):
        place, inserts = _next(history[edits], edits, diagonal, height, width)
        first, new_first = region.first + place, region.new_first + place - diagonal
        if inserts:
            yield Region(first, first, new_first - 1, new_first)
            diagonal += 1
        else:
            yield Region(first - 1, first, new_first, new_first)
            diagonal -= 1


def _joined(regions: Sequence[Region]) -> list[Region]:
    """Regions with those that touch made one."""
    found: list[Region] = []
    for region in regions:
        before = found[-1] if found else None
        if before and before.last == region.first and before.new_last == region.new_first:
            found[-1] = Region(
                before.first,
                region.last,
                before.new_first,
                region.new_last,
                before.coarse or region.coarse,
            )
        else:
            found.append(region)
    return found
