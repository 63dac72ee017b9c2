"""The shape of the code: import rule, sizes, and what may not stand in a file."""

import ast
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60
CODE_ROOTS = ("capture_service", "corpus_service", "protos", "clients", "tests", "bench")


def tracked_files() -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout
    paths = [ROOT / name.decode() for name in listing.split(b"\0") if name]
    return [path for path in paths if path.is_file()]


PYTHON_FILES = [
    path
    for path in tracked_files()
    if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in CODE_ROOTS
]
PRODUCT_FILES = [
    path for path in PYTHON_FILES if path.relative_to(ROOT).parts[0] not in {"tests", "bench"}
]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imported_modules(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def begins_with(modules: set[str], *packages: str) -> set[str]:
    return {
        module
        for module in modules
        if any(module == package or module.startswith(f"{package}.") for package in packages)
    }


def test_top_level_holds_what_the_project_names_and_nothing_else() -> None:
    allowed = {
        *CODE_ROOTS,
        *("docs", ".ci", ".gitignore", "buf.yaml", "pyproject.toml"),
        *("README.md", "LICENSE", "CHANGELOG.md", "Makefile"),
    }
    found = {path.relative_to(ROOT).parts[0] for path in tracked_files()}
    assert found <= allowed, found - allowed


@pytest.mark.parametrize("path", PYTHON_FILES, ids=name_of)
def test_files_and_functions_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= FILE_LINES_MAX
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno < FUNCTION_LINES_MAX, node.name


@pytest.mark.parametrize("path", PRODUCT_FILES, ids=name_of)
def test_imports_point_inwards(path: Path) -> None:
    parts = path.relative_to(ROOT).parts
    modules = imported_modules(path)
    if parts[0] == "capture_service":
        assert not begins_with(modules, "corpus_service")
        if "redaction" in parts:
            assert not begins_with(modules, "grpc", "apsw")
    if parts[0] == "corpus_service":
        assert not begins_with(modules, "capture_service")
    if parts[0] in {"capture_service", "corpus_service"}:
        assert not begins_with(modules, "sourcecorpus.bridge", "sourcecorpus.hermes")
        if parts[1] != "bootstrap.py" and parts[1] not in {"servicers", "__main__.py"}:
            assert (
                not begins_with(
                    modules, "capture_service.servicers", "corpus_service.servicers", "grpc.aio"
                )
                or parts[1] == "delivery"
                or parts[1] == "games"
            )
    if parts[0] == "protos":
        assert not begins_with(modules, "capture_service", "corpus_service", "sourcecorpus.bridge")
    if parts[0] == "clients":
        others = begins_with(modules, "capture_service", "corpus_service")
        settings = {"capture_service.settings", "corpus_service.settings"}
        assert not {
            module
            for module in others
            if not begins_with({module}, "capture_service.redaction", "capture_service.spool")
            and not any(module.startswith(name) for name in settings)
            and module != "capture_service"
        }


@pytest.mark.parametrize(
    "path", [path for path in PRODUCT_FILES if "domain" in path.parts], ids=name_of
)
def test_domain_imports_the_standard_library_alone(path: Path) -> None:
    import sys

    own = path.relative_to(ROOT).parts[0]
    for module in imported_modules(path):
        root = module.split(".")[0]
        assert root in sys.stdlib_module_names or root in {own, "__future__"}, module
        if root == own:
            assert module.startswith(f"{own}.domain"), module


@pytest.mark.parametrize("path", tracked_files(), ids=name_of)
def test_no_file_names_a_machine_or_a_registry(path: Path) -> None:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    for needle in ("/wo" + "rk/main", "--index" + "-url", "extra-index" + "-url", "/ro" + "ot/"):
        assert needle not in text


def test_every_named_work_item_has_an_end() -> None:
    marker = "TO" + "DO"
    assert not [name_of(path) for path in PYTHON_FILES if marker in path.read_text("utf-8")]
