"""`tool:` URIs: every argument is identity, in one spelling."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sourcecorpus.identity import InvalidArgumentsError, canonicalise, tool_uri
from sourcecorpus.identity.limits import MAXIMUM_ARGUMENT_DEPTH, MAXIMUM_TOOL_URI_CODE_POINTS


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, "tool:discovery/search"),
        ({"query": "rope"}, "tool:discovery/search?query=rope"),
        ({"query": "C# & more"}, "tool:discovery/search?query=C%23%20%26%20more"),
        ({"b": 1, "a": 2}, "tool:discovery/search?a=2&b=1"),
        ({"limit": 5.0}, "tool:discovery/search?limit=5"),
        ({"limit": "5"}, "tool:discovery/search?limit=%225%22"),
        ({"x": 0.5}, "tool:discovery/search?x=0.5"),
        ({"x": True}, "tool:discovery/search?x=true"),
        ({"x": "true"}, "tool:discovery/search?x=%22true%22"),
        ({"x": None}, "tool:discovery/search?x=null"),
        ({"x": ""}, "tool:discovery/search?x="),
        ({"x": ["b", "a"]}, "tool:discovery/search?x=%5B%22b%22%2C%22a%22%5D"),
        ({"x": {"b": 1, "a": 2.0}}, "tool:discovery/search?x=%7B%22a%22%3A2%2C%22b%22%3A1%7D"),
        ({"utm_source": "x", "api_key": "y"}, "tool:discovery/search?api_key=y&utm_source=x"),
        ({"悬空": "é"}, "tool:discovery/search?%E6%82%AC%E7%A9%BA=%C3%A9"),
    ],
)
def test_spelling(arguments: dict[str, object], expected: str) -> None:
    assert tool_uri("discovery", "search", arguments) == expected
    assert canonicalise(expected).value == expected


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("TOOL:a/b?C=D", "tool:a/b?C=D"),
        ("tool:A/b", "tool:A/b"),
        ("tool:a/b?utm_source=1&api_key=2", "tool:a/b?utm_source=1&api_key=2"),
        ("tool:a/../b", "tool:a/../b"),
        ("tool:a/b?q=C#", "tool:a/b?q=C%23"),
        ("tool:a/b?q=%7e%2f x", "tool:a/b?q=~%2F%20x"),
        ("tool:a/b?q=x\t", "tool:a/b?q=x%09"),
    ],
)
def test_only_the_scheme_is_folded(uri: str, expected: str) -> None:
    assert canonicalise(uri).value == expected
    assert canonicalise(expected).value == expected


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
arguments_strategy = st.dictionaries(st.text(max_size=6), json_values, max_size=4)


def spelled(value: object) -> str:
    return json.dumps(value, sort_keys=True)


@settings(max_examples=1_000, derandomize=True, database=None, deadline=None)
@given(arguments_strategy, arguments_strategy)
def test_equal_exactly_when_the_arguments_are(
    one: dict[str, object], other: dict[str, object]
) -> None:
    first, second = tool_uri("f", "o", one), tool_uri("f", "o", other)
    assert (first == second) is (spelled(one) == spelled(other))
    assert tool_uri("f", "o", dict(reversed(one.items()))) == first
    assert canonicalise(first).value == first


def test_lookalike_values_are_different_keys() -> None:
    values: list[object] = [
        *("5", 5, 5.5, "5.5", "5.50", "-5", -5, True, "true", False, None, "null", "", '""', "NaN"),
        *([], "[]", {}, "{}", [5], ["5"], {"a": 1}, {"a": "1"}, "Infinity", "1e5", "٥", "007", 7),
    ]
    assert len({tool_uri("f", "o", {"x": value}) for value in values}) == len(values)
    assert tool_uri("a", "b/c", {}) != tool_uri("a/b", "c", {})


def test_long_arguments_are_digested() -> None:
    longest = "q" * (MAXIMUM_TOOL_URI_CODE_POINTS - len("x="))
    assert tool_uri("f", "o", {"x": longest}).endswith(longest)
    digested = tool_uri("f", "o", {"x": longest + "q"})
    assert digested.startswith("tool:f/o?arguments=sha256:")
    assert len(digested) < 100
    assert canonicalise(digested).value == digested
    assert tool_uri("f", "o", {"x": longest + "r"}) != digested


def test_what_is_no_json_is_refused_without_repeating_it() -> None:
    deep: object = "hidden text"
    for _ in range(MAXIMUM_ARGUMENT_DEPTH + 1):
        deep = [deep]
    for value in (b"hidden text", {1, 2}, object(), deep):
        with pytest.raises(InvalidArgumentsError) as caught:
            tool_uri("f", "o", {"x": value})
        assert "hidden" not in str(caught.value)
