"""`file:` URIs: canonical spelling, aliases, and nothing personal."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sourcecorpus.identity import InvalidAliasError, PathAliases, canonicalise, file_uri

POSIX = PathAliases(
    {"game": "/home/alice/games/tide", "manuals": "/srv/manuals/", "home": "/home/alice"},
    home="/home/alice",
    working_directory="/home/alice/games/tide/saves",
)
WINDOWS = PathAliases(
    {"game": "D:\\Games\\Tide", "share": "\\\\nas\\media"},
    home="C:\\Users\\alice",
    working_directory="D:\\Games\\Tide\\saves",
)


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("file:/x", "file:///x"),
        ("file:///x", "file:///x"),
        ("FILE:///x", "file:///x"),
        ("file://localhost/x", "file:///x"),
        ("file://LocalHost/x", "file:///x"),
        ("file:x", "file:///x"),
        ("file:", "file:///"),
        ("file://", "file:///"),
        ("file://Server/Share/x", "file://server/Share/x"),
        ("file:///a/../b/./c", "file:///b/c"),
        ("file:///a%20b/%7e%2f", "file:///a%20b/~%2F"),
        ("file:///a b/ü", "file:///a%20b/%C3%BC"),
        ("file:////x", "file:////x"),
        ("file:\\\\server\\x", "file://server/x"),
        ("file:///C:/x", "file:///C:/x"),
        ("file:///c|/x", "file:///c:/x"),
        ("file:C|\\x", "file:///C:/x"),
        ("file://C:/x", "file:///C:/x"),
        ("file:///C:/../../x", "file:///C:/x"),
        ("file:///C:/..", "file:///C:/"),
        ("file:///./c|/../x", "file:///c:/x"),
        ("file:///a/c|/x", "file:///a/c|/x"),
        ("file:///Case#page=3", "file:///Case"),
    ],
)
def test_canonical_file_uris(uri: str, expected: str) -> None:
    assert canonicalise(uri).value == expected
    assert canonicalise(expected).value == expected


@pytest.mark.parametrize("uri", ["file://host:80/x", "file://user@host/x", "file://a b/x"])
def test_a_file_host_has_no_port_and_no_user(uri: str) -> None:
    assert not canonicalise(uri).canonicalised


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/b.txt", "file:///game/a/b.txt"),
        ("/a//b/../c", "file:///game/a/c"),
        ("../../etc/passwd", "file:///game/etc/passwd"),
        ("", "file:///game/"),
        ("a/", "file:///game/a/"),
        ("a b#?%.txt", "file:///game/a%20b%23%3F%25.txt"),
        ("a\\b", "file:///game/a%5Cb"),
        ("ü/日.md", "file:///game/%C3%BC/%E6%97%A5.md"),
        ("a\udcff", "file:///game/a%FF"),
        ("a;jsessionid=1", "file:///game/a%3Bjsessionid=1"),
        ("c|/x", "file:///game/c%7C/x"),
        ("~x/100%/@", "file:///game/~x/100%25/@"),
    ],
)
def test_file_uri(path: str, expected: str) -> None:
    assert file_uri("game", path) == expected
    assert canonicalise(expected).value == expected


@pytest.mark.parametrize("alias", ["", "Game", "a b", "-a", "a/b", "a" * 65, "..", "é", "a."])
def test_aliases_are_plain_names(alias: str) -> None:
    with pytest.raises(InvalidAliasError):
        file_uri(alias, "x")
    with pytest.raises(InvalidAliasError):
        PathAliases({alias: "/x"})


def test_roots_are_absolute_and_reserved_names_are_refused() -> None:
    for roots in ({"a": "x"}, {"a": "~/x"}, {"unlisted-a": "/x"}):
        with pytest.raises(InvalidAliasError):
            PathAliases(roots)
    assert PathAliases({"a": "~/x"}, home="/home/alice").roots == {"a": "/home/alice/x"}
    assert PathAliases({"a": "/"}).to_uri("/etc/hosts") == "file:///a/etc/hosts"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/home/alice/games/tide/readme.txt", "file:///game/readme.txt"),
        ("/home/alice/games/tide", "file:///game/"),
        ("/home/alice/games/tide2/x", "file:///home/games/tide2/x"),
        ("/srv/manuals/a.pdf", "file:///manuals/a.pdf"),
        ("slot1.sav", "file:///game/saves/slot1.sav"),
        ("./slot1.sav", "file:///game/saves/slot1.sav"),
        ("../mods/a", "file:///game/mods/a"),
        ("../../../b", "file:///home/b"),
        ("~/notes.md", "file:///home/notes.md"),
        ("~", "file:///home/"),
        ("~/../alice/x", "file:///home/x"),
        ("/srv/manuals/../manuals/./a.pdf", "file:///manuals/a.pdf"),
        ("//srv/manuals/a.pdf", "file:///manuals/a.pdf"),
        ("file:///srv/manuals/a%20b.pdf", "file:///manuals/a%20b.pdf"),
        ("file:/srv/manuals/a.pdf", "file:///manuals/a.pdf"),
        ("file://localhost/srv/manuals/a.pdf", "file:///manuals/a.pdf"),
        ("/SRV/manuals/a.pdf", None),
    ],
)
def test_the_longest_root_wins(path: str, expected: str | None) -> None:
    found = POSIX.to_uri(path)
    assert found == expected or (expected is None and found.startswith("file:///unlisted-"))
    assert canonicalise(found).value == found


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("D:\\Games\\Tide\\readme.txt", "file:///game/readme.txt"),
        ("d:/games/tide/Readme.txt", "file:///game/Readme.txt"),
        ("D:\\Games\\Tide\\mods\\..\\a", "file:///game/a"),
        ("\\\\?\\D:\\Games\\Tide\\a", "file:///game/a"),
        ("\\\\NAS\\media\\film", "file:///share/film"),
        ("\\\\?\\UNC\\nas\\media\\film", "file:///share/film"),
        ("slot1.sav", "file:///game/saves/slot1.sav"),
        ("..\\mods\\a", "file:///game/mods/a"),
        ("file:///D:/Games/Tide/a%20b", "file:///game/a%20b"),
        ("file://nas/media/film", "file:///share/film"),
    ],
)
def test_windows_paths(path: str, expected: str) -> None:
    assert WINDOWS.to_uri(path) == expected


PERSONAL = [
    "/home/carol",
    "/home/carol/",
    "/home/carol/secret plans/diary.txt",
    "/home/carol/carol-cv.pdf",
    "/Users/carol/Documents/x.txt",
    "/var/home/carol/x.txt",
    "/mnt/c/Users/carol/x.txt",
    "C:\\Users\\carol\\Documents\\x.txt",
    "C:\\Users\\carol",
    "c:/users/carol/x.txt",
    "\\\\?\\C:\\Users\\carol\\x.txt",
    "file:///home/carol/plans/x.txt",
    "file:///C:/Users/carol/x.txt",
    "~carol",
]


@pytest.mark.parametrize("path", PERSONAL)
def test_unknown_roots_reveal_no_personal_path(path: str) -> None:
    for aliases in (POSIX, WINDOWS, PathAliases({})):
        found = aliases.to_uri(path)
        for word in ("carol", "plans", "documents", "users"):
            assert word not in found.lower() or (word == "carol" and path.startswith("~"))
        assert aliases.to_uri(path) == found
        assert canonicalise(found).value == found


def test_unknown_paths_stay_apart_and_siblings_share_their_alias() -> None:
    none = PathAliases({})
    uris = [
        none.to_uri(path) for path in ("/a/x", "/a/y", "/b/x", "/a/x/y", "a/x", "x", "~/x", "/")
    ]
    assert len(set(uris)) == len(uris)
    assert uris[0].rpartition("/")[0] == uris[1].rpartition("/")[0]
    assert uris[0].endswith("/x")
    assert none.to_uri("C:\\A\\x") == none.to_uri("c:/a/x")


@settings(max_examples=500, derandomize=True, database=None, deadline=None)
@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=40))
def test_every_text_is_a_path(path: str) -> None:
    for aliases in (POSIX, WINDOWS, PathAliases({})):
        found = aliases.to_uri(path)
        assert found.startswith("file:///")
        assert canonicalise(found).value == found
