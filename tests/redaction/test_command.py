"""Functions behind the command line: the filter, the explanation, the check of files."""

import io
import json
from pathlib import Path

from capture_service.redaction import Redactor
from capture_service.redaction.command import build_redactor, check_files, explain, filter_lines

from .cases import collected_cases
from .cases.model import Maker

TOKEN = "ghp_" + Maker("command").alnum(36)


def filtered(redactor: Redactor, lines: list[str | bytes]) -> tuple[list[str], int]:
    output = io.StringIO()
    refused = filter_lines(lines, output, redactor)
    return [json.loads(line)["text"] for line in output.getvalue().split("\n")[:-1]], refused


def test_the_filter_answers_line_by_line_in_order(redactor: Redactor) -> None:
    cases = collected_cases()
    lines: list[str | bytes] = [
        json.dumps({"id": case.kind, "text": case.text, "keep": []}) for case in cases
    ]
    texts, refused = filtered(redactor, lines)
    assert refused == 0
    assert texts == [redactor.redact_text(case.text).text for case in cases]


def test_a_bad_line_answers_with_an_empty_text_and_the_rest_goes_on(redactor: Redactor) -> None:
    bad: list[str | bytes] = [
        "{",
        "[]",
        '"x"',
        '{"text": 5}',
        '{"no": "text"}',
        b"\xff\xfe",
        "[" * 5000,
    ]
    texts, refused = filtered(redactor, [*bad, "\n", json.dumps({"text": f"key {TOKEN}"})])
    assert refused == len(bad)
    assert texts[:-1] == [""] * len(bad)
    assert texts[-1].startswith("key REDACTED~github-token~")


def test_the_filter_writes_lone_surrogates_as_escapes(redactor: Redactor) -> None:
    texts, _ = filtered(redactor, ['{"text": "\\ud83d \\u2028 é"}'])
    assert texts == ["\ud83d \u2028 é"]


def test_lines_have_no_memory_of_each_other(redactor: Redactor) -> None:
    password = Maker("memory").password(14, "-_")
    texts, _ = filtered(
        redactor, [json.dumps({"text": f"password: {password}"}), json.dumps({"text": password})]
    )
    assert password not in texts[0]
    assert texts[1] == password


def test_an_explanation_has_lines_and_columns_and_no_value(redactor: Redactor) -> None:
    data = f"one\ntwo {TOKEN}\n\n{TOKEN} {TOKEN}\n".encode()
    rows = explain(data, redactor)
    assert [(row.line, row.column) for row in rows] == [(2, 5), (4, 1), (4, 2 + len(TOKEN))]
    assert all(data[row.start : row.end].decode() == TOKEN for row in rows)
    assert TOKEN not in repr(rows)


def test_files_are_checked_and_left_alone(redactor: Redactor, tmp_path: Path) -> None:
    (tmp_path / "a").write_text(f"x {TOKEN}")
    (tmp_path / "b").write_text("nothing")
    checked = list(check_files([tmp_path / "a", tmp_path / "b", tmp_path / "missing"], redactor))
    assert [(len(file.explanations), file.reason) for file in checked] == [
        (1, ""),
        (0, ""),
        (0, "FILE_NOT_READABLE"),
    ]
    assert (tmp_path / "a").read_text() == f"x {TOKEN}"


def test_a_key_file_makes_placeholders_agree_between_processes(tmp_path: Path) -> None:
    environment = {"SOURCECORPUS_REDACTION_KEY_FILE": str(tmp_path / "key")}
    one, two = (build_redactor(environment=environment).redact_text(TOKEN).text for _ in range(2))
    other = build_redactor(environment={}).redact_text(TOKEN).text
    assert one == two
    assert other != one
