"""Each check of the style can fail: a small tree in order passes them all, a planted fault is noticed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.tidy import checks

Tree = Callable[..., Path]

OPS = {"enqueue": "Enqueue", "get_job": "GetJob"}
VERBS = {"enqueue", "get_job"}

IN_ORDER: Mapping[str, str] = {
    "README.md": "# A queue\n",
    "impl/anser/__init__.py": """
        from typing import Any

        from anser.database import Database
        from anser.types import LIMIT, State

        __all__ = ["LIMIT", "Database", "State"]
    """,
    "impl/anser/types.py": """
        from enum import StrEnum

        LIMIT = 3
        _hidden = 4


        class State(StrEnum):
            PENDING = "pending"
    """,
    "impl/anser/ops/jobs.py": '''
        class Enqueue:
            """A job more (JOB-1)."""


        class GetJob:
            """A job, read (JOB-2)."""
    ''',
    "impl/anser/clock.py": "import time\n\n\ndef now() -> int:\n    return int(time.time())\n",
    "impl/anser/core/jobs.py": """
        from anser.ops import Enqueue, GetJob
        from anser.types import State


        def enqueue(tx, op):
            return tx.run("enqueue", op, f"to {op} release")


        def get_job(tx, op):
            return _row(tx)


        def _row(tx):
            raise ValueError("update the queue's limit, or select fewer")
    """,
    "impl/anser/engine/sqlite.py": """
        import threading
        from time import sleep

        from anser.types import State


        def begin(connection):
            sleep(0)
            connection.execute("begin immediate")
            connection.execute("pragma synchronous = normal")
            connection.execute(f"savepoint {connection}")
    """,
    "impl/anser/database.py": "from anser import core, queue\n\n\nclass Database:\n    pass\n",
    "impl/anser/queue.py": "import anser.core.jobs\n",
    "impl/anser/sql/schema.sql": """
        -- honker's own defaults ask: current_timestamp
        create table t (
          made integer not null default (unixepoch()),
          seen integer default (cast(strftime('%s', 'now') as integer)),
          day text default current_timestamp
        );
        -- name: foreign_claim
        create trigger foreign_claim after update on t begin
          update t set seen = unixepoch() where id = new.id;
        end
        -- name: by_day
        create index by_day on t (day)
    """,
    "impl/anser/sql/schema_locks.sql": "create table l (made integer default (unixepoch()));\n",
    "impl/anser/sql/jobs.sql": """
        -- JOB-2: unixepoch() would be another clock
        select id from t where made <= :now;
    """,
    "models/anser_models/__init__.py": "from anser_models.step import VERBS\n\n__all__ = ['VERBS']\n",
    "models/anser_models/step.py": """
        from dataclasses import dataclass

        from anser import ops
        from anser.ops.jobs import Enqueue
        from anser.types import State

        VERBS = {"enqueue": 1}
    """,
    "spec/anser_spec/__init__.py": '"""What is right (UTF-8 and ABC-9 are no rules)."""\n\n__all__ = []\n',
    "spec/anser_spec/rules/jobs.md": """
        ## JOB-1 A job is in exactly one state

        ```case
        @100 enqueue queue="get_job" get_job=1 -> 1
        ```

        ## JOB-2 A job can be read

        See JOB-1.

        ```case
        @100 get_job id=1 -> none
        ```
    """,
}

CHECKS: Mapping[str, Callable[[Path], list[str]]] = {
    "layers": checks.layers,
    "sql_places": checks.sql_places,
    "sql_clocks": checks.sql_clocks,
    "clock_reads": checks.clock_reads,
    "waits": checks.waits,
    "lengths": checks.lengths,
    "readme_length": checks.readme_length,
    "vague_names": checks.vague_names,
    "one_name": lambda root: checks.one_name(root, OPS, VERBS),
    "repeated_rules": checks.repeated_rules,
    "unknown_rules": checks.unknown_rules,
    "operations_without_rule": lambda root: checks.operations_without_rule(root, set(OPS.values())),
    "exports": checks.exports,
    "forbidden_texts": checks.forbidden_texts,
    "exceptions_without_reason": checks.exceptions_without_reason,
}

# The check that must see the fault, the file that it is written to, its text, and what the check says.
PLANTED = [
    ("layers", "impl/anser/types.py", "from anser.ops import Enqueue\n", "only go down"),
    ("layers", "impl/anser/types.py", "def f():\n    from anser.core import jobs\n", "only go down"),
    ("layers", "impl/anser/core/jobs.py", "import anser\n", "only go down"),
    ("layers", "impl/anser/core/jobs.py", "from anser import Database\n", "only go down"),
    ("layers", "impl/anser/core/jobs.py", "from anser.queue import Queue\n", "only go down"),
    ("layers", "impl/anser/queue.py", "from anser.database import Database\n", "import each other"),
    ("layers", "impl/anser/queue.py", "from . import types\n", "relatively"),
    ("layers", "impl/anser/extra.py", "", "has no layer"),
    ("layers", "impl/anser/queue.py", "import anser_models\n", "anser imports anser_models"),
    ("layers", "impl/anser/cli/spec.py", "from anser_spec.cases import read\n", "anser imports anser_spec"),
    (
        "layers",
        "models/anser_models/step.py",
        "from anser.core import jobs\n",
        "the model imports anser.core",
    ),
    ("layers", "models/anser_models/step.py", "from anser import State\n", "the model imports anser:"),
    ("layers", "models/anser_models/step.py", "import anser_spec\n", "the model imports anser_spec"),
    ("layers", "models/anser_models/step.py", "import croniter\n", "the model imports croniter"),
    ("layers", "models/anser_models/step.py", "import sqlite3\n", "the model imports sqlite3"),
    ("sql_places", "impl/anser/core/jobs.py", "tx.execute('SELECT 1 FROM t')\n", "holds SQL"),
    ("sql_places", "impl/anser/core/jobs.py", "STATEMENT = '''\n  delete from t\n'''\n", "holds SQL"),
    ("sql_places", "impl/anser/core/jobs.py", "s = f'update {t} set id = 1'\n", "holds SQL"),
    ("sql_places", "impl/anser/core/jobs.py", "s = 'insert ' + rest\n", "holds SQL"),
    ("sql_places", "impl/anser/core/jobs.py", "s = 'with due as (select 1)'\n", "holds SQL"),
    ("sql_places", "impl/anser/core/jobs.py", "tx.execute('commit')\n", "holds SQL"),
    ("sql_places", "impl/anser/core/jobs.py", "tx.execute('pragma synchronous = off')\n", "holds SQL"),
    (
        "sql_places",
        "impl/anser/engine/sqlite.py",
        "c.execute('create unique index i on t(a)')\n",
        "holds SQL",
    ),
    (
        "sql_places",
        "impl/anser/database.py",
        "c.execute('insert or ignore into t values (1)')\n",
        "holds SQL",
    ),
    ("sql_clocks", "impl/anser/sql/jobs.sql", "select 1 where a < unixepoch();\n", "unixepoch"),
    ("sql_clocks", "impl/anser/sql/jobs.sql", "select datetime('now');\n", "datetime("),
    ("sql_clocks", "impl/anser/sql/jobs.sql", "select CURRENT_TIMESTAMP;\n", "CURRENT_TIMESTAMP"),
    ("sql_clocks", "impl/anser/sql/jobs.sql", "create table t (a default (unixepoch()));\n", "unixepoch"),
    ("sql_clocks", "impl/anser/sql/schema.sql", "create view v as select unixepoch();\n", "unixepoch"),
    (
        "sql_clocks",
        "impl/anser/sql/schema.sql",
        "create trigger t begin\nend\n\n-- name: v\ncreate view v as select unixepoch()\n",
        "unixepoch",
    ),
    ("clock_reads", "impl/anser/core/jobs.py", "import time\nnow = time.time()\n", "time.time"),
    ("clock_reads", "impl/anser/core/jobs.py", "from time import time_ns as t\nnow = t()\n", "time.time_ns"),
    ("clock_reads", "impl/anser/core/jobs.py", "import time as t\nnow = t.monotonic\n", "time.monotonic"),
    (
        "clock_reads",
        "impl/anser/queue.py",
        "from datetime import datetime\nn = datetime.now()\n",
        "datetime.now",
    ),
    ("clock_reads", "impl/anser/queue.py", "import datetime\nn = datetime.date.today()\n", "date.today"),
    ("waits", "impl/anser/core/jobs.py", "import threading\n", "threading"),
    ("waits", "impl/anser/core/jobs.py", "from concurrent.futures import Executor\n", "concurrent"),
    ("waits", "impl/anser/queue.py", "import time\ntime.sleep(1)\n", "time.sleep"),
    (
        "waits",
        "impl/anser/queue.py",
        "import asyncio\nasync def f():\n    await asyncio.sleep(1)\n",
        "asyncio",
    ),
    ("lengths", "spec/anser_spec/long.py", "def long():\n" + "    f()\n" * 60, "has 61 lines"),
    ("lengths", "impl/anser/long.py", f"{'word ' * 24}x\n".replace("word", "# wo"), "has 121 columns"),
    ("lengths", "impl/anser/sql/jobs.sql", f"-- {'a' * 118}\n", "has 121 columns"),
    ("readme_length", "README.md", "line\n" * 121, "has 121 lines"),
    ("vague_names", "impl/anser/core/jobs.py", "def load_data():\n    pass\n", "data"),
    ("vague_names", "models/anser_models/world.py", "class JobManager:\n    pass\n", "manager"),
    ("vague_names", "impl/anser/core/helpers.py", "", "helper"),
    (
        "one_name",
        "impl/anser/core/jobs.py",
        "def enqueue():\n    pass\n",
        "get_job: a function of exactly one",
    ),
    (
        "one_name",
        "impl/anser/core/more.py",
        "def enqueue():\n    pass\n",
        "enqueue: a function of exactly one",
    ),
    ("one_name", "spec/anser_spec/rules/jobs.md", "```case\n@1 enqueue get_job=1\n```\n", "get_job: no case"),
    ("one_name", "spec/anser_spec/rules/jobs.md", "```case\n@1 enqueue\n```\nget_job\n", "get_job: no case"),
    ("repeated_rules", "spec/anser_spec/rules/more.md", "## JOB-2 Again\n", "JOB-2 again"),
    ("unknown_rules", "impl/anser/sql/jobs.sql", "-- JOB-9: why\n", "cites JOB-9"),
    ("unknown_rules", "models/anser_models/step.py", "# JOB-20 says so\n", "cites JOB-20"),
    ("operations_without_rule", "impl/anser/ops/jobs.py", "class Enqueue:\n    pass\n", "Enqueue cites no rule"),
    (
        "operations_without_rule",
        "impl/anser/ops/jobs.py",
        'class GetJob:\n    """JOB-7"""\n',
        "GetJob cites no rule",
    ),
    ("exports", "impl/anser/__init__.py", "from anser.types import State\n", "has no __all__"),
    ("exports", "impl/anser/__init__.py", "from anser.types import A, B\n__all__ = ['A']\n", "lacks B"),
    ("exports", "models/anser_models/__init__.py", "__all__ = []\ndef step():\n    pass\n", "lacks step"),
    ("exports", "spec/anser_spec/__init__.py", "__all__ = ['gone']\n", "names gone"),
    ("exports", "impl/anser/types.py", "A = 1\nB = 2\n__all__ = ['B', 'A']\n", "not sorted"),
    ("forbidden_texts", "Makefile", "# TO" + "DO: later\n", "unfinished"),
    ("forbidden_texts", "pyproject.toml", "index = 'https://pypi" + ".org/simple'\n", "host"),
    ("forbidden_texts", "docs/why.md", "see /ho" + "me/someone/file\n", "one machine"),
    ("forbidden_texts", ".ci/run", "cd /wo" + "rk/main\n", "one machine"),
    ("exceptions_without_reason", "impl/anser/queue.py", "x = 1  # type: ignore[misc]\n", "no reason"),
    ("exceptions_without_reason", "tests/unit/test_a.py", "x = 1  # noqa: E501\n", "no reason"),
    ("exceptions_without_reason", "impl/anser/queue.py", "x = 1  # noqa  # it is long\n", "no code"),
]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A tree in order, with the given files written over it. A text loses the indent of its first line."""

    def write(name: str, text: str) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def build(**planted: str) -> Path:
        for name, text in {**IN_ORDER, **planted}.items():
            lines = text.lstrip("\n").splitlines(keepends=True)
            indent = len(lines[0]) - len(lines[0].lstrip(" ")) if text.startswith("\n") else 0
            write(name, "".join(line[indent:] or "\n" for line in lines))
        return tmp_path

    return build


@pytest.mark.parametrize("check", CHECKS)
def test_a_tree_in_order_passes(tree: Tree, check: str) -> None:
    assert CHECKS[check](tree()) == []


@pytest.mark.parametrize(("check", "file", "text", "said"), PLANTED)
def test_a_planted_fault_is_noticed(tree: Tree, check: str, file: str, text: str, said: str) -> None:
    problems = CHECKS[check](tree(**{file: text}))

    assert [problem for problem in problems if said in problem]


def test_every_check_has_a_planted_fault() -> None:
    assert {check for check, *_ in PLANTED} == set(CHECKS)


def test_a_missing_readme_is_noticed(tree: Tree) -> None:
    root = tree()
    (root / "README.md").unlink()

    assert checks.readme_length(root) == ["README.md:1: is missing"]


@pytest.mark.parametrize(
    ("ops", "verbs", "said"),
    [
        ({**OPS, "get_job": "JobGet"}, VERBS, "its class is JobGet"),
        (OPS, {"enqueue"}, "get_job: the model has no case"),
        (OPS, VERBS | {"guess"}, "guess: in the model only"),
        ({**OPS, "cancel": "Cancel"}, VERBS | {"cancel"}, "cancel: no case"),
    ],
)
def test_a_name_that_differs_is_noticed(tree: Tree, ops: dict[str, str], verbs: set[str], said: str) -> None:
    problems = checks.one_name(tree(), ops, verbs)

    assert [problem for problem in problems if said in problem]


def test_a_reason_on_the_line_is_accepted(tree: Tree) -> None:
    root = tree(**{"impl/anser/queue.py": "x = 1  # type: ignore[misc]  # the stub is wrong about x\n"})

    assert checks.exceptions_without_reason(root) == []
