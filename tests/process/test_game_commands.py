"""Game commands against both real services: what a bridge asks, as JSON lines."""

import hashlib
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from sourcecorpus.bridge.game_commands import GameCommands
from sourcecorpus.bridge.game_commands.checking import load_schema
from sourcecorpus.capture.v1.envelope_pb2 import Envelope, EnvelopeHead, ToolStatus
from tests.process.calls import GAME, deliver
from tests.process.conftest import Services

pytestmark = [pytest.mark.process, pytest.mark.timeout(180)]

PAGE = "https://wiki.example/cold-iron"
SENTENCE = "Cold iron ends every ember ward within nine breaths."
ANSWER = {
    "$schema": load_schema()["$schema"],
    "$defs": load_schema()["$defs"],
    "$ref": "#/$defs/answer",
}


def page_envelope(url: str, text: str) -> Envelope:
    page = {"url": url, "title": "Cold iron", "content": text, "error": None}
    return Envelope(
        head=EnvelopeHead(
            envelope_id="commands-1",
            game_id=GAME,
            run_id="run-7",
            session_id="process-test",
            tool_name="web_extract",
            arguments=json.dumps({"urls": [url]}).encode(),
            status=ToolStatus.TOOL_STATUS_OK,
        ),
        result=json.dumps({"results": [page]}).encode(),
    )


class Bridge:
    """Asks one command after the other; every answer has the form that the schema declares."""

    def __init__(self, commands: GameCommands) -> None:
        self._commands = commands

    def answer(self, command: str, **facts: Any) -> dict[str, Any]:
        answer = self._commands.handle({"command": command, "game": GAME, **facts})
        Draft202012Validator(ANSWER).validate(answer)
        return answer

    def __call__(self, command: str, **facts: Any) -> dict[str, Any]:
        answer = self.answer(command, **facts)
        assert answer["ok"], answer
        result: dict[str, Any] = answer["result"]
        return result

    def refused(self, command: str, **facts: Any) -> tuple[str, str]:
        answer = self.answer(command, **facts)
        assert not answer["ok"]
        return answer["error"]["reason"], answer["error"].get("field", "")


def test_a_bridge_searches_reads_proves_saves_and_deletes(shared_services: Services) -> None:
    with shared_services.client() as client:
        deliver(client, [page_envelope(PAGE, f"# Cold iron\n\n{SENTENCE}\n")], "commands")
        bridge = Bridge(GameCommands(client))
        (hit,) = bridge("corpus_search", query="ember ward breaths", limit=1)["hits"]
        below = {"sections": ["COLD iron"], "facets": ["family"]}
        again = bridge("corpus_search", query="ember ward breaths", **below)
        assert [one["ref"] for one in again["hits"]] == [hit["ref"]]
        assert again["facet_counts"]["documents"] == "1"
        (word,) = bridge("corpus_suggest", text="breahts ")["suggestions"]
        assert word["word"] == "breaths"
        found = bridge("corpus_find", text="nine  BREATHS")
        assert found["exhausted"]
        ref = found["documents"][0]["passages"][0]["ref"]
        read = bridge("corpus_read", ref=hit["ref"])
        assert SENTENCE in [line.get("text", "") for line in read["lines"]]
        (cited,) = bridge("corpus_cite", refs=[ref])["results"]
        assert SENTENCE in cited["citation"]["quote"]
        quotes = [
            {"ref": ref, "quote": SENTENCE},
            {"ref": ref, "quote": SENTENCE.replace("nine", "ten")},
        ]
        verdicts = [
            result["verification"]["verdict"]
            for result in bridge("corpus_verify", quotes=quotes)["results"]
        ]
        assert verdicts == ["QUOTE_VERDICT_EXACT", "QUOTE_VERDICT_ABSENT"]
        saved = bridge("corpus_save", run="run-7", sources=[{"ref": ref, "use": "cited"}])
        assert saved["results"] == [{"use": "RUN_USE_CITED"}]
        listed = bridge("corpus_sources", run="run-7")["sources"]
        assert [source["canonical_uri"] for source in listed] == [PAGE]
        asked = bridge("corpus_refresh", urls=[PAGE], reason="a new patch is out")["requests"]
        assert [request["state"] for request in asked] == ["REFRESH_STATE_PENDING"]
        gone = bridge("corpus_delete", url=PAGE, reason="wrong", note="the wiki was vandalised")
        assert gone["source_deleted"]
        assert "hits" not in bridge("corpus_search", query="ember ward breaths")
        (dead,) = bridge("corpus_cite", refs=[ref])["results"]
        assert dead["failure"]["reason"] == "VERSION_DELETED"


def test_an_export_holds_what_can_be_read_byte_for_byte(
    shared_services: Services, tmp_path: Path
) -> None:
    url = "https://wiki.example/export"
    text = f"# Export\n\n{SENTENCE}\n冷铁 🗡\n"
    with shared_services.client() as client:
        envelope = page_envelope(url, text)
        envelope.head.envelope_id = "commands-3"
        deliver(client, [envelope], "export")
        assert Bridge(GameCommands(client)).refused("corpus_export", file="a.tar") == (
            "EXPORT_FOLDER_NOT_SET",
            "file",
        )
        bridge = Bridge(GameCommands(client, tmp_path))
        facts = bridge("corpus_export", file="game.tar")
        bare = bridge("corpus_export", file="facts.tar", texts=False)
    assert facts["source_count"] == bare["source_count"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["facts.tar", "game.tar"]
    data = (tmp_path / "game.tar").read_bytes()
    assert facts["content_hash"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert text.encode() in data
    with tarfile.open(tmp_path / "game.tar") as archive:
        manifest = json.load(archive.extractfile("manifest.json"))  # type: ignore[arg-type]
        assert manifest["scope"] == "everything"
        for table in manifest["tables"]:
            file = archive.extractfile(f"tables/{table['name']}.jsonl")
            assert file is not None
            assert f"sha256:{hashlib.sha256(file.read()).hexdigest()}" == table["hash"]
    bare_data = (tmp_path / "facts.tar").read_bytes()
    assert SENTENCE.encode() not in bare_data
    assert url.encode() in bare_data


def test_pausing_holds_and_ends(shared_services: Services) -> None:
    with shared_services.client() as client:
        bridge = Bridge(GameCommands(client))
        assert bridge("corpus_pause", paused=True)["game"]["paused"]
        assert "paused" not in bridge("corpus_pause", paused=False)["game"]


def test_the_text_of_an_answer_is_refused_and_kept_nowhere(shared_services: Services) -> None:
    with shared_services.client() as client:
        bridge = Bridge(GameCommands(client))
        answer = "The oracle of Saltmouth says that quicksilver mends wards."
        before = bridge("corpus_sources")
        sources = [{"ref": "v-7k2m9q4x1c8v5b3n6p0z", "use": "cited"}]
        for facts, refusal in (
            ({"sources": sources, "text": answer}, ("ASSISTANT_TEXT_REFUSED", "text")),
            (
                {"sources": [{**sources[0], "content": answer}]},
                ("ASSISTANT_TEXT_REFUSED", "sources[0].content"),
            ),
            ({"sources": [{"ref": answer, "use": "cited"}]}, ("FIELD_INVALID", "sources[0].ref")),
        ):
            assert bridge.refused("corpus_save", run="run-8", **facts) == refusal
        unknown = bridge("corpus_save", run=answer, sources=sources)["results"]
        assert unknown == [{"failure_reason": "VERSION_NOT_FOUND"}]
        assert bridge("corpus_sources") == before
        assert "hits" not in bridge("corpus_search", query="oracle Saltmouth quicksilver")


def test_faults_of_the_services_come_as_answers(shared_services: Services) -> None:
    with shared_services.client() as client:
        bridge = Bridge(GameCommands(client))
        assert bridge.refused("corpus_sources", game="nowhere") == ("UNKNOWN_GAME", "game_id")
        assert bridge.refused("corpus_sources", page_token="abc") == (
            "PAGE_TOKEN_INVALID",
            "page_token",
        )
        assert bridge.refused("corpus_delete", url="https://never.example/")[0] == (
            "SOURCE_NOT_FOUND"
        )


def test_the_command_line_answers_each_line(shared_services: Services) -> None:
    lines = [
        json.dumps({"command": "corpus_sources", "game": GAME, "id": "first"}).encode(),
        b"not json",
        b'{"command": "corpus_search", "game": "' + GAME.encode() + b'", "query": "x"}',
        b"[" * 100_000,
        b'"' + b"x" * (2 * 1024 * 1024) + b'"',
        json.dumps({"command": "corpus_drop", "game": GAME}).encode(),
    ]
    ended = subprocess.run(
        [str(Path(sys.executable).with_name("source-corpus")), "command"],
        input=b"\n".join(lines),
        env={
            **os.environ,
            "SOURCECORPUS_CAPTURE_ADDRESS": shared_services.addresses["capture"],
            "SOURCECORPUS_CORPUS_ADDRESS": shared_services.addresses["corpus"],
        },
        capture_output=True,
        timeout=120,
        check=True,
    )
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [answer["ok"] for answer in answers] == [True, False, True, False, False, False]
    assert answers[0]["id"] == "first"
    reasons = [answer["error"]["reason"] for answer in answers if not answer["ok"]]
    assert reasons == ["COMMAND_INVALID"] * 3 + ["COMMAND_UNKNOWN"]


def test_refs_are_printed_in_the_shapes_of_others(shared_services: Services) -> None:
    url = "https://wiki.example/shapes"
    with shared_services.client() as client:
        envelope = page_envelope(url, f"Before the words. {SENTENCE} And behind them.\n")
        envelope.head.envelope_id = "commands-2"
        deliver(client, [envelope], "shapes")
        found = Bridge(GameCommands(client))("corpus_find", text=SENTENCE, url_prefixes=[url])
        ref = found["documents"][0]["passages"][0]["ref"]
    shapes = {}
    for shape in ("anthropic", "w3c", "csl", "text-fragment", "markdown"):
        ended = subprocess.run(
            [
                str(Path(sys.executable).with_name("source-corpus")),
                "cite",
                ref,
                "--format",
                shape,
                "--game",
                GAME,
            ],
            env={
                **os.environ,
                "SOURCECORPUS_CAPTURE_ADDRESS": shared_services.addresses["capture"],
                "SOURCECORPUS_CORPUS_ADDRESS": shared_services.addresses["corpus"],
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        shapes[shape] = ended.stdout.strip()
    location = json.loads(shapes["anthropic"])
    assert SENTENCE in location["cited_text"]
    selector = json.loads(shapes["w3c"])["target"]["selector"][0]
    assert selector["exact"] == location["cited_text"]
    assert json.loads(shapes["csl"])["archive_location"] == ref
    assert shapes["text-fragment"].startswith(f"{url}#:~:text=")
    assert shapes["markdown"].startswith(f"[^1]: [Cold iron](<{url}>)")
    assert shapes["markdown"].endswith(f"`{ref}`")
