"""Records the bundled sample game with the real Hermes: ``make sample``.

The results are what Hermes' tools returned; only the folder of the recording is replaced by a neutral one.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from local_web import LocalWeb
from real_hermes import prepare_home, record_calls

WIKI = "http://93.184.216.34/wiki/Cold_iron"
MARKET = "http://93.184.216.34/wiki/Saltmouth_market"
TOWER = "http://93.184.216.34/ja/wiki/%E9%90%98%E3%81%AE%E5%A1%94"
HOUND = "http://93.184.216.34/zh/wiki/%E7%81%B0%E7%83%AC%E7%8C%8E%E7%8A%AC"
ATLAS = "http://93.184.216.34/atlas"
NEUTRAL_HOME = "/home/player/games/emberfall"
NEUTRAL_PORT = 18803
SAMPLE = (
    Path(__file__).resolve().parents[3]
    / "clients/bridge/sourcecorpus/bridge/sample/emberfall.jsonl"
)


def atlas_text() -> str:
    """A page longer than the window that Hermes gives to its model."""
    shafts = ("upper", "middle", "lower")
    places = [
        f"## Shaft {number}\n\nShaft {number} of Karn Vale is a {shafts[number % 3]} shaft. "
        f"It floods {number % 5 + 1} minutes after the tide bell and holds {number % 7} lamps.\n"
        for number in range(1, 161)
    ]
    return "# Atlas of Karn Vale\n\n" + "\n".join(places)


def main() -> None:
    texts = json.loads(Path(__file__).with_name("sample_pages.json").read_text(encoding="utf-8"))
    pages: dict[str, dict[str, Any]] = {
        WIKI: {"markdown": texts["wiki_before"], "title": "Cold iron - Emberfall wiki"},
        MARKET: {"markdown": texts["market"], "title": "Saltmouth market - Emberfall wiki"},
        TOWER: {"markdown": texts["japanese"], "title": "鐘の塔"},
        HOUND: {"markdown": texts["chinese"], "title": "灰烬猎犬"},
        ATLAS: {"markdown": atlas_text(), "title": "Atlas of Karn Vale"},
        "/ember-wards": {"body": texts["guide"], "type": "text/html; charset=utf-8"},
    }
    hits = [
        {"url": WIKI, "title": "Cold iron", "description": "A metal that ends ember wards."},
        {"url": MARKET, "title": "Saltmouth market", "description": "Where ingots are sold."},
        {"url": TOWER, "title": "鐘の塔", "description": "沈んだ塔"},
    ]
    with LocalWeb(pages, hits) as web, tempfile.TemporaryDirectory() as folder:
        events: list[dict[str, Any]] = []
        for part, after in enumerate((False, True)):
            home = Path(folder) / f"recording-{part}"
            home.mkdir()
            prepare_home(home)
            manual = home / "manual.txt"
            manual.write_text(texts["manual"], encoding="utf-8")
            if after:
                pages[WIKI]["markdown"] = texts["wiki_after"]
            recorded = record_calls(home, web.port, calls(web.port, manual, after=after))
            events += [neutral(event, home, web.port) for event in recorded]
    lines = [json.dumps(event, ensure_ascii=False, sort_keys=True) for event in events]
    SAMPLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def calls(port: int, manual: Path, *, after: bool) -> list[dict[str, Any]]:
    """The calls of one evening; the second evening finds the wiki page changed."""
    session = {"session_id": "emberfall-evening-2" if after else "emberfall-evening-1"}
    named = [
        ("web_search", {"query": "emberfall cold iron", "limit": 3}),
        ("web_extract", {"urls": [WIKI, MARKET]}),
    ]
    if after:
        named.append(("web_extract", {"urls": [TOWER, HOUND]}))
    else:
        named += [
            ("web_extract", {"urls": [ATLAS]}),
            ("web_extract", {"urls": ["http://93.184.216.34/wiki/Wraith"]}),
            ("terminal", {"command": f"curl -s http://127.0.0.1:{port}/ember-wards"}),
            ("read_file", {"path": str(manual)}),
        ]
    return [
        {
            "tool": tool,
            "args": arguments,
            "ids": {**session, "task_id": "evening", "tool_call_id": f"call_{number}"},
        }
        for number, (tool, arguments) in enumerate(named, start=1)
    ]


def neutral(event: dict[str, Any], home: Path, port: int) -> dict[str, Any]:
    """Put a neutral folder and port in place of those of the recording."""
    text = json.dumps(event)
    text = text.replace(str(home), NEUTRAL_HOME).replace(
        f"127.0.0.1:{port}", f"127.0.0.1:{NEUTRAL_PORT}"
    )
    clean: dict[str, Any] = json.loads(text)
    return clean


if __name__ == "__main__":
    main()
