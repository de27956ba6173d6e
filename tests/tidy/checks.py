"""The style as functions: each takes the root of a tree and gives its problems, as `file:line: what`.

They read text and never import what they judge, so tests can run them on small trees with a planted fault.
Where a check needs to know the operations, the caller says which there are.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

ROOTS = {"anser": "impl", "anser_models": "models", "anser_spec": "spec"}

LAYERS = (
    ("errors",),
    ("types",),
    ("ops", "clock", "backoff", "cron", "sql"),
    ("core",),
    ("engine",),
    ("wake", "keeper"),
    ("home",),
    (
        "database",
        "queue",
        "locks",
        "outbox",
        "notifications",
        "events",
        "retention",
        "doctor",
        "results",
        "schedules",
        "limits",
    ),
    ("tasks", "worker", "scheduler"),
    ("cli", "integrations", "testing"),
)
LEVELS = {part: level for level, parts in enumerate(LAYERS) for part in parts}
FACE = ""  # the package's own __init__, above all layers
LEVELS[FACE] = len(LAYERS)

MODEL_MAY_IMPORT = {"anser.errors", "anser.types", "anser.ops"}  # and what is in them
WORLDLY = {
    "asyncio",
    "multiprocessing",
    "os",
    "random",
    "socket",
    "sqlite3",
    "subprocess",
    "threading",
    "time",
}
WAITING_PARTS = {"worker", "scheduler", "wake", "keeper", "engine", "database"}

CLOCK_READS = {
    *(f"time.{name}{unit}" for name in ("time", "monotonic", "perf_counter") for unit in ("", "_ns")),
    *(f"time.{name}" for name in ("clock_gettime", "clock_gettime_ns", "ctime", "gmtime", "localtime")),
    *(f"datetime.datetime.{name}" for name in ("now", "utcnow", "today")),
    "datetime.date.today",
}
WAITS = {"time.sleep", "asyncio.sleep", "asyncio.to_thread"}
THREADING = {"_thread", "concurrent", "multiprocessing", "threading"}

FUNCTION_MAX_LINES = 60
LINE_MAX_COLUMNS = 120
README_MAX_LINES = 120
VAGUE_WORDS = {"data", "info", "manager", "util", "helper", "handle"}

STATEMENT = re.compile(
    r"""\s*(?: select\s
             | insert\s+(?:or|into)\s
             | replace\s+into\s
             | update\s+(?:or\s+\w+\s+)?\S+\s+set\s
             | delete\s+from\s
             | (?:insert|update|delete)\s+\Z
             | (?:create|alter|drop)\s+(?:(?:temp|temporary|unique|virtual)\s+)*(?:table|index|trigger|view)\s
             | with\s+(?:recursive\s+)?\w+\s*(?:\([^)]*\)\s*)?as\s.*\(
             | (?:attach|detach)\s+(?:database\s)?
             )""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
TRANSACTION_STATEMENT = re.compile(
    r"""\s*(?: begin(?:\s+(?:deferred|immediate|exclusive|transaction))*
             | (?:commit|end|rollback)(?:\s+transaction)?
             | rollback\s+to\s+(?:savepoint\s+)?\S+
             | savepoint\s+\S+
             | release\s+(?:savepoint\s+)?\S+
             | pragma\s+\w.*
             )\s*;?\s*\Z""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
DATABASE_CLOCK = re.compile(
    r"\b(?:unixepoch|current_(?:timestamp|time|date)|(?:datetime|date|time|julianday|strftime)\s*\()|'now'",
    re.IGNORECASE,
)
SQL_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
TRIGGER = re.compile(r"^create\s+(?:temp\s+)?trigger\b.*?(?=^-- name:|\Z)", re.IGNORECASE | re.MULTILINE | re.DOTALL)
COLUMN_DEFAULT = re.compile(r"\bdefault\s+(?:current_\w+|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))", re.IGNORECASE)

RULE_HEADING = re.compile(r"^## ([A-Z]{3}-\d+) ", re.MULTILINE)
RULE_ID = re.compile(r"\b([A-Z]{3})-\d+\b")
CASE_BLOCK = re.compile(r"^```case\b[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r'"(?:\\.|[^"\\\n])*"')

EXCEPTION = re.compile(r"\b(?:type:\s*ignore|noqa)\b(?P<after>.*)")
EXCEPTION_CODES = re.compile(r"\s*(?:\[[\w\-, ]*\]|:\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*)?")
MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:work|root|home|Users)/")
REGISTRY_HOST = re.compile(r"\b(?:pypi|pythonhosted|crates|npmjs|golang|maven|debian)[.](?:org|io|com)\b")
UNFINISHED = re.compile(r"\b(?:TO[D]O|FIX[M]E|XX[X])\b")
TEXT_SUFFIXES = {".c", ".html", ".json", ".md", ".py", ".rs", ".sh", ".sql", ".toml", ".txt", ".yaml", ".yml"}
TEXT_NAMES = {"Makefile", "run", ".gitignore", "LICENSE"}
NOT_OURS = {"__pycache__", "build", "dist", "out"}


# The tree, read.


def sources(root: Path, *folders: str, suffix: str = ".py") -> Iterator[Path]:
    for folder in folders:
        yield from sorted((root / folder).rglob(f"*{suffix}"))


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def place(root: Path, path: Path, line: int, what: str) -> str:
    return f"{path.relative_to(root)}:{line}: {what}"


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def part_of(root: Path, path: Path) -> str:
    """`impl/anser/core/claims.py` is of the part `core`; the package's own `__init__` is the face."""
    name = path.relative_to(root / "impl" / "anser").parts[0].removesuffix(".py")
    return FACE if name in ("__init__", "__main__") else name


def imports(root: Path, path: Path) -> Iterator[tuple[int, str]]:
    """Each imported module with its line: `from anser import types` is `anser.types`."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level:
            yield node.lineno, "." * node.level + (node.module or "")
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield node.lineno, inner if is_module(root, inner) else node.module


def is_module(root: Path, name: str) -> bool:
    first, *rest = name.split(".")
    path = root.joinpath(ROOTS.get(first, first), first, *rest)
    return path.is_dir() or path.with_suffix(".py").is_file()


# Layers.


def layers(root: Path) -> list[str]:
    """Imports go down. Parts of one layer may know each other in one direction only."""
    return [*_implementation_layers(root), *_model_imports(root)]


def _implementation_layers(root: Path) -> Iterator[str]:
    peers: dict[str, set[str]] = defaultdict(set)
    peer_imports: list[tuple[Path, int, str, str]] = []
    for path in sources(root, "impl/anser"):
        part = part_of(root, path)
        if part not in LEVELS:
            yield place(root, path, 1, f"{part} has no layer: give it one in LAYERS")
            continue
        for line, module in imports(root, path):
            first, _, rest = module.partition(".")
            if first == "":
                yield place(root, path, line, f"imports {module} relatively: say the whole name")
            if first in ("anser_models", "anser_spec"):
                yield place(root, path, line, f"anser imports {module}: it never does")
            if first != "anser":
                continue
            target = rest.partition(".")[0]
            level = LEVELS.get(target, len(LAYERS))
            if level > LEVELS[part]:
                yield place(root, path, line, f"{part} imports {module}: imports only go down")
            elif level == LEVELS[part] and target != part:
                peers[part].add(target)
                peer_imports.append((path, line, part, target))
    for path, line, part, target in peer_imports:
        if part in _reached(peers, target):
            yield place(root, path, line, f"{part} and {target} import each other: one direction only")


def _reached(edges: Mapping[str, set[str]], start: str) -> set[str]:
    reached: set[str] = set()
    pending = [start]
    while pending:
        node = pending.pop()
        if node not in reached:
            reached.add(node)
            pending.extend(edges.get(node, ()))
    return reached


def _model_imports(root: Path) -> Iterator[str]:
    """The model shares values with the implementation, never meaning, and nothing of the world outside."""
    for path in sources(root, "models/anser_models"):
        for line, module in imports(root, path):
            first = module.partition(".")[0]
            own = first == "anser_models" or ".".join(module.split(".")[:2]) in MODEL_MAY_IMPORT
            if not own and (first not in sys.stdlib_module_names or first in WORLDLY):
                yield place(root, path, line, f"the model imports {module}: only {sorted(MODEL_MAY_IMPORT)}")


# SQL.


def sql_places(root: Path) -> list[str]:
    """Statements stand in `sql/`. An engine says when a transaction begins and ends, and its pragmas."""
    return [
        place(root, path, line, f"holds SQL: {' '.join(text.split())[:60]!r}")
        for path in sources(root, "impl/anser")
        if (part := part_of(root, path)) != "sql"
        for line, text in strings(parsed(path))
        if STATEMENT.match(text) or (part != "engine" and TRANSACTION_STATEMENT.match(text))
    ]


def strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every string that is not a docstring; what an f-string fills in is shown as `x`."""
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            skipped.update(node.values)
            pieces = (value.value if isinstance(value, ast.Constant) else "x" for value in node.values)
            yield node.lineno, "".join(str(piece) for piece in pieces)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in skipped:
            yield node.lineno, node.value


def sql_clocks(root: Path) -> list[str]:
    """No statement asks the database for the time; the shared format's own defaults and triggers do."""
    problems = []
    for path in sources(root, "impl", "models", "spec", suffix=".sql"):
        code = path.read_text(encoding="utf-8")
        of_the_format = path.name.startswith("schema")
        allowed = (TRIGGER, SQL_COMMENT, COLUMN_DEFAULT) if of_the_format else (SQL_COMMENT,)
        for pattern in allowed:
            code = _blanked(pattern, code)
        for match in DATABASE_CLOCK.finditer(code):
            line = line_of(code, match.start())
            problems.append(place(root, path, line, f"asks the database for the time: {match[0]}"))
    return problems


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


# Time and waiting.


def clock_reads(root: Path) -> list[str]:
    return [
        place(root, path, line, f"reads the time ({name}): only clock does")
        for path in sources(root, "impl/anser")
        if part_of(root, path) != "clock"
        for line, name in _names_used(parsed(path))
        if name in CLOCK_READS
    ]


def waits(root: Path) -> list[str]:
    problems = []
    for path in sources(root, "impl/anser"):
        if part_of(root, path) in WAITING_PARTS:
            continue
        used = [(line, name) for line, name in _names_used(parsed(path)) if name in WAITS]
        used += [(line, name) for line, name in imports(root, path) if name.partition(".")[0] in THREADING]
        problems += [place(root, path, line, f"sleeps or threads ({name}): only loops do") for line, name in used]
    return problems


def _names_used(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Each name in use, whole: after `from time import time as t`, `t` is `time.time`."""
    whole: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            whole |= {alias.asname: alias.name for alias in node.names if alias.asname}
        elif isinstance(node, ast.ImportFrom):
            whole |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and (dotted := _dotted(node)):
            first, dot, rest = dotted.partition(".")
            yield node.lineno, whole.get(first, first) + dot + rest


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := _dotted(node.value)):
        return f"{before}.{node.attr}"
    return ""


# Lengths and names.


def lengths(root: Path) -> list[str]:
    problems = []
    for path in sources(root, "impl", "models", "spec"):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                count = (node.end_lineno or node.lineno) - node.lineno + 1
                if count > FUNCTION_MAX_LINES:
                    problems.append(place(root, path, node.lineno, f"{node.name} has {count} lines"))
    for suffix in (".py", ".sql"):
        for path in sources(root, "impl", "models", "spec", suffix=suffix):
            for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                if len(text) > LINE_MAX_COLUMNS:
                    problems.append(place(root, path, line, f"has {len(text)} columns"))
    return problems


def readme_length(root: Path) -> list[str]:
    readme = root / "README.md"
    if not readme.is_file():
        return ["README.md:1: is missing"]
    count = len(readme.read_text(encoding="utf-8").splitlines())
    return [place(root, readme, count, f"has {count} lines")] if count > README_MAX_LINES else []


def vague_names(root: Path) -> list[str]:
    problems = []
    for path in sources(root, "impl", "models"):
        named = [(1, path.stem), (1, path.parent.name)]
        named += [
            (node.lineno, node.name)
            for node in ast.walk(parsed(path))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        ]
        for line, name in named:
            vague = {word.removesuffix("s") for word in _words(name)} & VAGUE_WORDS
            problems += [place(root, path, line, f"{name} says nothing: {word}") for word in sorted(vague)]
    return problems


def _words(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


# One name for an operation, and rules.


def one_name(root: Path, ops: Mapping[str, str], verbs: Collection[str]) -> list[str]:
    """`ops` is name → class name, `verbs` are the names that the model has a case for."""
    in_core: dict[str, list[str]] = defaultdict(list)
    for path in sources(root, "impl/anser/core"):
        for node in parsed(path).body:
            if isinstance(node, ast.FunctionDef):
                in_core[node.name].append(path.name)
    in_cases = operations_in_cases(root, ops)
    problems = []
    for name, class_name in ops.items():
        if snake(class_name) != name:
            problems.append(f"{name}: its class is {class_name}")
        if len(in_core[name]) != 1:
            problems.append(f"{name}: a function of exactly one module of core/, not of {in_core[name]}")
        if name not in verbs:
            problems.append(f"{name}: the model has no case")
        if name not in in_cases:
            problems.append(f"{name}: no case of spec/anser_spec/rules/ does it")
    problems += [f"{name}: in the model only" for name in sorted(set(verbs) - set(ops))]
    return problems


def operations_in_cases(root: Path, ops: Collection[str]) -> set[str]:
    """The operations whose word is in a fenced case, outside quotes and not as the name of an argument."""
    blocks = [
        block
        for path in sources(root, "spec/anser_spec/rules", suffix=".md")
        for block in CASE_BLOCK.findall(path.read_text(encoding="utf-8"))
    ]
    words = set(re.findall(r"\b(\w+)\b(?!\s*[=:])", QUOTED.sub('""', "\n".join(blocks))))
    return words & set(ops)


def rules(root: Path) -> dict[str, list[str]]:
    """Each rule's id, with the places of its headings."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sources(root, "spec/anser_spec/rules", suffix=".md"):
        text = path.read_text(encoding="utf-8")
        for match in RULE_HEADING.finditer(text):
            found[match[1]].append(place(root, path, line_of(text, match.start()), "heading"))
    return dict(found)


def repeated_rules(root: Path) -> list[str]:
    return [f"{places[1]} of {rule} again" for rule, places in rules(root).items() if len(places) > 1]


def unknown_rules(root: Path) -> list[str]:
    """A cited id whose family exists and whose rule does not. What tests/tidy plants is not a citation."""
    known = rules(root)
    families = {rule[:3] for rule in known}
    problems = []
    for suffix in (".py", ".sql", ".md", ".toml"):
        for path in sources(root, "impl", "models", "spec", "tests", suffix=suffix):
            if path.is_relative_to(root / "tests" / "tidy"):
                continue
            text = path.read_text(encoding="utf-8")
            problems += [
                place(root, path, line_of(text, match.start()), f"cites {match[0]}, which is no rule")
                for match in RULE_ID.finditer(text)
                if match[1] in families and match[0] not in known
            ]
    return problems


def operations_without_rule(root: Path, class_names: Collection[str]) -> list[str]:
    known = rules(root)
    return [
        place(root, path, node.lineno, f"the docstring of {node.name} cites no rule")
        for path in sources(root, "impl/anser/ops")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ClassDef) and node.name in class_names
        if not any(match[0] in known for match in RULE_ID.finditer(ast.get_docstring(node) or ""))
    ]


# What a package exports.


def exports(root: Path) -> list[str]:
    """A module's `__all__` names what is there, sorted as ruff does; a face's leaves nothing public out."""
    problems = []
    for package, folder in ROOTS.items():
        for path in sources(root, f"{folder}/{package}"):
            tree = parsed(path)
            face = path == root / folder / package / "__init__.py"
            exported = _exported(tree)
            if exported is None:
                problems += [place(root, path, 1, "has no __all__")] * face
                continue
            missing = [name for name in exported if name not in _bound(tree)]
            unsaid = sorted(_bound(tree, package) - set(exported)) if face else []
            problems += [place(root, path, 1, f"__all__ names {name}, not here") for name in missing]
            problems += [place(root, path, 1, f"__all__ lacks {name}") for name in unsaid]
            if exported != sorted(set(exported), key=_export_order):
                problems.append(place(root, path, 1, "__all__ is not sorted, or names one twice"))
    return problems


def _exported(tree: ast.Module) -> list[str] | None:
    for node in tree.body:
        if isinstance(node, ast.Assign) and "__all__" in {_dotted(target) for target in node.targets}:
            return [str(name) for name in ast.literal_eval(node.value)]
    return None


def _bound(tree: ast.Module, package: str = "") -> set[str]:
    """Public names that the module's top level binds; of imported ones, those of the package, if given."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names.update(_dotted(target) for target in node.targets)
        elif isinstance(node, ast.AnnAssign):
            names.add(_dotted(node.target))
        elif isinstance(node, ast.ImportFrom) and _is_of(node, package):
            names.update(alias.asname or alias.name for alias in node.names)
    return {name for name in names if name.isidentifier() and not name.startswith("_")}


def _is_of(node: ast.ImportFrom, package: str) -> bool:
    return not package or (node.module or "").partition(".")[0] == package


def _export_order(name: str) -> tuple[int, str]:
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    return kind, name


# What no file says.


def texts(root: Path) -> Iterator[Path]:
    """The project's own text files: not what git, make and the instruments keep beside them."""
    for path in sorted(root.iterdir()):
        hidden = path.name.startswith(".") and path.name not in (".ci", ".gitignore")
        if hidden or path.name in NOT_OURS:
            continue
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in inside:
            ours = file.suffix in TEXT_SUFFIXES or file.name in TEXT_NAMES
            if ours and file.is_file() and not NOT_OURS & set(file.relative_to(root).parts):
                yield file


def forbidden_texts(root: Path) -> list[str]:
    """A file names no path of one machine and no registry's host, and leaves nothing for later."""
    kinds = {
        "a path of one machine": MACHINE_PATH,
        "a registry's host": REGISTRY_HOST,
        "unfinished": UNFINISHED,
    }
    problems = []
    for path in texts(root):
        text = path.read_text(encoding="utf-8")
        for kind, pattern in kinds.items():
            problems += [
                place(root, path, line_of(text, match.start()), f"says {match[0]}: {kind}")
                for match in pattern.finditer(text)
            ]
    return problems


def exceptions_without_reason(root: Path) -> list[str]:
    """A comment that switches a check off names what it switches off, and why, on its line."""
    problems = []
    for path in texts(root):
        if path.suffix != ".py":
            continue
        for line, comment in comments(path.read_text(encoding="utf-8")):
            match = EXCEPTION.search(comment)
            if match is None:
                continue
            codes = EXCEPTION_CODES.match(match["after"])
            reason = match["after"][codes.end() :] if codes else ""
            if not codes or not codes[0].strip() or not re.search(r"[a-z]{2}", reason):
                problems.append(place(root, path, line, f"gives no code or no reason: {comment}"))
    return problems


def comments(source: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
