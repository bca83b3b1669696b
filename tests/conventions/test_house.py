"""The habits of the house that no linter knows: sizes, names, state, and what may not stand in any file."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from importlib import metadata
from itertools import pairwise

import pytest

import gateway
from tests.conventions.source import PACKAGES, ROOT, Module, modules, texts

MODULES = tuple(modules())

LINES_OF_A_FILE = 400
LINES_OF_A_FUNCTION = 60

VAGUE = {"utils", "util", "helpers", "helper", "common", "manager", "base", "impl", "v2", "misc"}

BROAD_EXCEPTS: dict[str, str] = {
    # file: why a fault of any kind is caught there, reported, and survived. Seven kinds of place exist: adapter
    # supervisor, poller sink, session worker, review worker, provider worker, job, web handler.
    "gateway/engine/networks/supervisor.py": "the adapter supervisor: one platform's fault never stops another",
    "gateway/engine/networks/beside.py": "a job beside the engine: its fault is reported, and it is begun again",
    "gateway/engine/turns/worker.py": "the session worker: one session's fault is put aside and told, others go on",
    "gateway/schedule/runner.py": "the job: its fault is stored and told, the other jobs go on",
    "gateway/reviews/worker.py": "the review worker: one review's fault is told and tried again, others go on",
    "gateway/providers/mem0_child.py": "whatever Mem0 raises is told to the gateway, which judges it",
    "gateway/providers/attendant.py": "the provider worker: an outside memory's fault is told, turns go on",
    "gateway/providers/own_tools.py": "part of the provider worker: one whose tools cannot be had goes without them",
    "gateway/providers/joining.py": "part of the provider worker: whatever goes wrong while one is tried is told",
    "gateway/providers/quarters.py": "carried from a provider's thread to who asked, and raised there",
    "gateway/providers/outside.py": "the provider worker's reader: one thing less is handed over, the next one is",
    "memory/providers/registry.py": "part of the provider worker: an outside memory that cannot be made is told",
    "platforms/registry.py": "part of the adapter supervisor: a platform that cannot be built stops no other",
    "gateway/tools/toolset.py": "part of the session worker: a tool's fault is an answer to the model",
    "gateway/tools/mcp/server.py": "part of the adapter supervisor: a server's fault is told, it is begun again",
    "gateway/tools/loader.py": "part of the session worker: a plugin whose tools cannot be made costs these alone",
    "gateway/config/plugins.py": "part of every worker: what a plugin raises at its import is told by its register",
    "gateway/state/database.py": "carried from the database's thread to the coroutine that asked, and raised there",
    "platforms/telegram/polling.py": "Telegram's poller sink: an update that fails is put aside, polling goes on",
    "platforms/discord/hearing.py": "Discord's poller sink: an event that fails is put aside, listening goes on",
    "gateway/web/guards.py": "the web handler: a page's fault is reported and shown as one, the others go on",
    "platforms/console/adapter.py": "the console's poller sink: a window whose event fails is told so",
}

MUTABLE_CALLS = {"list", "dict", "set", "defaultdict", "deque", "Counter", "OrderedDict", "bytearray"}
FILE_CALLS = {
    "open",
    "read_bytes",
    "read_text",
    "write_bytes",
    "write_text",
    "copy",
    "copy2",
    "copyfile",
    "copyfileobj",
    "copytree",
    "move",
}


def teardown_module() -> None:
    for module in MODULES:
        module.forget()


def none_of(found: list[str]) -> None:
    """Fails with every place on a line of its own."""
    assert not found, "\n" + "\n".join(found)


def functions(module: Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in module.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_files_fit_on_a_few_screens() -> None:
    counted = {module.name: module.text.count("\n") for module in MODULES}
    none_of([f"{name}: {lines} lines" for name, lines in counted.items() if lines > LINES_OF_A_FILE])


def test_functions_do_one_thing() -> None:
    counted = {
        f"{module.at(function)} {function.name}": (function.end_lineno or 0) - function.lineno + 1
        for module in MODULES
        for function in functions(module)
    }
    none_of([f"{name}: {lines} lines" for name, lines in counted.items() if lines > LINES_OF_A_FUNCTION])


def test_modules_say_what_they_own() -> None:
    silent = [module.name for module in MODULES if module.text.strip() and not ast.get_docstring(module.tree)]
    none_of(silent)
    none_of([module.name for module in MODULES if module.packaged and not module.text.strip()])


def test_names_say_what_a_thing_is() -> None:
    vague = []
    for module in MODULES:
        parts = module.path.relative_to(ROOT).with_suffix("").parts
        vague += [f"{module.name}: {part}" for part in parts if VAGUE & set(part.lower().split("_"))]
        for node in module.nodes:
            if isinstance(node, ast.ClassDef):
                words = {word.lower() for word in re.findall(r"[A-Z][a-z0-9]*", node.name)}
                vague += [f"{module.at(node)}: {word}" for word in words & VAGUE]
    none_of(vague)


def test_the_environment_is_read_in_gateway_config_alone() -> None:
    reads = []
    for module in MODULES:
        if not module.packaged or module.name.startswith("gateway/config/"):
            continue
        for node in module.nodes:
            names = ("environ", "environb", "getenv", "getenvb")
            if isinstance(node, ast.Attribute) and node.attr in names and ast.unparse(node.value) == "os":
                reads.append(module.at(node))
            if isinstance(node, ast.ImportFrom) and node.module == "os":
                reads += [module.at(node) for alias in node.names if alias.name in names]
    none_of(reads)


def _mutable(value: ast.expr | None) -> bool:
    match value:
        case ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name in MUTABLE_CALLS
        case _:
            return False


def test_modules_hold_no_state() -> None:
    states = []
    for module in MODULES:
        for node in module.tree.body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and _mutable(node.value):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = [target.id for target in targets if isinstance(target, ast.Name)]
                states += [f"{module.at(node)} {name}" for name in names if not _constant(name)]
        states += [module.at(node) for node in module.nodes if isinstance(node, ast.Global)]
    none_of(states)


def _constant(name: str) -> bool:
    """Written in capitals, as a promise that nobody changes it; `__all__` and its kind are Python's own."""
    return name in (name.upper(), "pytestmark") or (name.startswith("__") and name.endswith("__"))


def _catches_everything(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    broad = any(kind is None or ast.unparse(kind) in ("Exception", "BaseException") for kind in caught)
    passes_on = isinstance(handler.body[-1], ast.Raise) and handler.body[-1].exc is None
    return broad and not passes_on


def test_faults_of_every_kind_are_survived_in_listed_places_only() -> None:
    places = [
        (module.name, module.at(node))
        for module in MODULES
        if module.packaged
        for node in module.nodes
        if isinstance(node, ast.ExceptHandler) and _catches_everything(node)
    ]
    none_of([place for name, place in places if name not in BROAD_EXCEPTS])
    none_of(
        [f"{name}: listed, and catches nothing broad" for name in set(BROAD_EXCEPTS) - {name for name, _ in places}]
    )
    assert all(len(reason) > 15 for reason in BROAD_EXCEPTS.values())


# The forbidden words are put together here, so that this file does not hold what it forbids.
REGISTRIES = (
    *("py" + "pi.org", "python" + "hosted.org", "test.py" + "pi", "npm" + "js.", "yarn" + "pkg.", "crates" + ".io"),
    *("ruby" + "gems.", "deb" + "ian.org", "ubuntu" + ".com", "golang" + ".org", "docker" + ".io", "ghcr" + ".io"),
    *("qu" + "ay.io", "hugging" + "face.co", "conda" + ".org", "anaconda" + ".com"),
)
MACHINES = ("/" + "work/", "/" + "Users/", "/" + "home/runner", "/" + "builds/", "C:" + "\\Users")
WORKSHOP = ("../" + "shared", "field" + "-cases", "spec" + ".md", "/" + "shared/peers")
CASE_NUMBER = re.compile(r"\b" + "R" + r"\d\d\b")


@pytest.mark.parametrize("words", [REGISTRIES, MACHINES, WORKSHOP], ids=["registries", "machines", "workshop"])
def test_no_file_names_a(words: tuple[str, ...]) -> None:
    found = [f"{name}: {word}" for name, text in texts() for word in words if word.lower() in text.lower()]
    none_of(found)


def test_facts_stand_in_words_and_not_as_case_numbers() -> None:
    found = [f"{name}: {match[0]}" for name, text in texts() for match in CASE_NUMBER.finditer(text)]
    none_of(found)


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {module.path.parent for module in MODULES}
    for folder in list(folders):
        folders |= {parent for parent in folder.parents if parent.is_relative_to(ROOT) and parent != ROOT}
    assert [
        str(folder.relative_to(ROOT)) for folder in sorted(folders) if not (folder / "__init__.py").exists()
    ] == []


def _names_the_database(node: ast.AST) -> bool:
    """Whether an expression holds a profile's `.database`, or the file's name (with those of its log and index)."""
    return any(
        (isinstance(part, ast.Attribute) and part.attr == "database")
        or (isinstance(part, ast.Constant) and isinstance(part.value, str) and "state.db" in part.value)
        for part in ast.walk(node)
    )


def _file_calls_on_the_database(module: Module) -> Iterator[str]:
    for call in module.nodes:
        if not isinstance(call, ast.Call):
            continue
        match call.func:
            case ast.Name(id=name):
                subjects: list[ast.AST] = [*call.args]
            case ast.Attribute(value=owner, attr=name) if ast.unparse(owner) in ("shutil", "os", "io"):
                subjects = [*call.args]
            case ast.Attribute(value=owner, attr=name):
                subjects = [owner]
            case _:
                continue
        if name in FILE_CALLS and any(map(_names_the_database, subjects)):
            yield module.at(call)


def test_the_live_database_is_opened_by_sqlite_alone() -> None:
    """Closing any other handle on the file drops the locks that this process holds on it."""
    none_of([place for module in MODULES for place in _file_calls_on_the_database(module)])


def test_the_version_is_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    declared = getattr(gateway, "__version__", None) or metadata.version("innkeeper")
    assert project["version"] == declared


def test_the_changelog_has_room_for_what_comes() -> None:
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings[:1] == ["Unreleased"]


def test_the_readme_starts_the_main_job_and_the_tests_with_one_line_each() -> None:
    readme = (ROOT / "README.md").read_text("utf-8").split("\n")
    code = [line for before, line in pairwise(readme) if before.startswith("```") and len(before) > 3]
    assert any(line.endswith("innkeeper chat") for line in code)
    mark = readme.index("<!-- the test line -->")
    fence = next(number for number in range(mark, len(readme)) if readme[number].startswith("```"))
    assert "pytest" in readme[fence + 1]
    assert readme[fence + 2].startswith("```")


def _paths_in_the_architecture() -> Iterator[tuple[str, str]]:
    """Each path in backticks, with the line that it stands on."""
    for line in (ROOT / "gateway/ARCHITECTURE.md").read_text("utf-8").split("\n"):
        for path in re.findall(r"`((?:gateway|platforms|memory|commands|tests|\.ci)/[\w./-]*)`", line):
            yield path, line


def test_the_architecture_is_true_to_the_tree() -> None:
    named = list(_paths_in_the_architecture())
    absent = [path for path, line in named if "(planned)" not in line and not (ROOT / path).exists()]
    none_of(absent)
    # A folder of the gateway that the text does not know is as wrong as one that is not there.
    known = {path.split("/")[1] for path, _ in named if path.startswith("gateway/")}
    rooms = {module.path.relative_to(ROOT).parts[1] for module in MODULES if module.name.startswith("gateway/")}
    none_of(sorted(room for room in rooms if "." not in room and room not in known))
    assert set(PACKAGES) <= {path.split("/")[0] for path, _ in named}
