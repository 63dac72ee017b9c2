"""Client ids: UUID version 7, in order, whatever the clock does."""

import threading
import uuid
from collections.abc import Callable

from sourcecorpus.identity import ClientIdGenerator


def generator(moments: list[int], bits: Callable[[int], int]) -> ClientIdGenerator:
    times = iter(moments)
    return ClientIdGenerator(lambda: next(times), bits)


def test_layout() -> None:
    """The example of RFC 9562 appendix A.6, whose 12 bits are 0xCC3."""
    values = {11: 0x4C3, 62: 0x18C4DC0C0C07398F}
    made = generator([0x017F22E279B0], lambda bits: values[bits]).new_id()
    assert made == "017f22e2-79b0-74c3-98c4-dc0c0c07398f"
    parsed = uuid.UUID(made)
    assert parsed.version == 7
    assert parsed.variant == uuid.RFC_4122


def test_order_holds_when_the_clock_stands_or_goes_back() -> None:
    moments = [1_000] * 3 + [900] * 5_000 + [1_001] * 3 + [5_000]
    source = generator(moments, lambda bits: (1 << bits) - 1)
    made = [source.new_id() for _ in moments]
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    assert int(made[-1].replace("-", "")[:12], 16) == 5_000


def test_threads_share_one_generator() -> None:
    source = ClientIdGenerator(lambda: 1_000, lambda _bits: 0)
    made: list[str] = []

    def work() -> None:
        made.extend([source.new_id() for _ in range(500)])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == len(made) == 2_000


def test_default_sources_work() -> None:
    source = ClientIdGenerator()
    assert source.new_id() < source.new_id()
