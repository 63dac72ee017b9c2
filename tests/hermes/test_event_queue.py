import threading

from sourcecorpus.hermes.plugin.events import CapturedEvent, LossReport
from sourcecorpus.hermes.plugin.lineage import CallIds, Kinship
from sourcecorpus.hermes.plugin.queue import EventQueue


def event(name: str, size: int = 10) -> CapturedEvent:
    return CapturedEvent(CallIds(name), Kinship(), None, name, [], "ok", "", 0, 1.0, size)


def drain(queue: EventQueue) -> list[CapturedEvent | LossReport]:
    found = []
    while (item := queue.next_item(0.0)) is not None:
        found.append(item)
    return found


def names(items: list[CapturedEvent | LossReport]) -> list[object]:
    return [item.result if isinstance(item, CapturedEvent) else item.counts for item in items]


def test_events_stay_until_they_are_durable_and_are_sent_again_on_a_new_connection() -> None:
    queue = EventQueue()
    for name in "abc":
        queue.put(event(name))
    assert names(drain(queue)) == ["a", "b", "c"]
    queue.acknowledge(1)
    queue.begin_again()
    again = drain(queue)
    assert names(again) == ["b", "c"]
    assert [item.sequence for item in again] == [2, 3]
    queue.acknowledge(3)
    assert queue.waiting() == 0


def test_full_memory_refuses_and_counts_and_the_count_travels_once() -> None:
    queue = EventQueue(bytes_max=25, events_max=100)
    assert [queue.put(event(name)) for name in "abcd"] == [True, True, False, False]
    assert names(drain(queue)) == ["a", "b", {"MEMORY_FULL": 2}]
    queue.begin_again()
    assert names(drain(queue)) == ["a", "b", {"MEMORY_FULL": 2}]
    queue.acknowledge(3)
    assert drain(queue) == []
    assert queue.losses() == {"MEMORY_FULL": 2}
    assert queue.put(event("e"))


def test_number_of_events_is_bounded_too() -> None:
    queue = EventQueue(events_max=2)
    assert [queue.put(event(name)) for name in "abc"] == [True, True, False]


def test_event_larger_than_the_memory_passes_alone() -> None:
    queue = EventQueue(bytes_max=25)
    assert queue.put(event("large", size=1_000))
    assert not queue.put(event("small"))
    queue.acknowledge(1)
    assert queue.put(event("small"))


def test_event_that_cannot_be_sent_leaves_its_number_to_a_count() -> None:
    queue = EventQueue()
    for name in "abc":
        queue.put(event(name))
    queue.next_item(0.0)
    bad = queue.next_item(0.0)
    assert bad is not None
    queue.give_up(bad.sequence, "RESULT_TOO_LARGE")
    rest = drain(queue)
    assert names(rest) == [{"RESULT_TOO_LARGE": 1}, "c"]
    assert [item.sequence for item in rest] == [2, 3]
    assert queue.losses() == {"RESULT_TOO_LARGE": 1}


def test_flush_ends_when_everything_is_durable_or_hopeless() -> None:
    queue = EventQueue()
    assert queue.wait_until_empty(5.0, lambda: False)
    queue.put(event("a"))
    assert not queue.wait_until_empty(5.0, lambda: True)
    assert not queue.wait_until_empty(0.0, lambda: False)
    waiting = threading.Thread(target=queue.acknowledge, args=(1,))
    waiting.start()
    assert queue.wait_until_empty(5.0, lambda: False)
    waiting.join()
