"""Do the tests notice a wrong rule? Each mutant changes one thing in one file of the rules; a test has to fail.

``python -m tests.mutants [--sample N] [--file NAME]`` from the checkout. The tests are collected once and run once, to
see which of them enter which function; each mutant then runs, in a child of that warm process, only the tests that
enter the changed function, the quickest first. What was found is kept in ``build/mutants.jsonl``, so that a run that
was stopped, or one after a change, runs only the mutants of functions that it has not seen. Exit status 1 when fewer
than nine of ten mutants are killed. The survivors are printed with their lines.
"""

from __future__ import annotations

import argparse
import ast
import copy
import hashlib
import json
import os
import random
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
RULES = sorted(path for path in (ROOT / "firmware/referee/games").glob("*.py") if path.name != "__init__.py")
TARGETS = [*RULES, ROOT / "firmware/referee/knowledge.py"]
#: The quick ones: examples, golden sessions, rules worked out by hand, field reports.
TESTS = [
    "reading",
    "house_rules",
    "family",
    "dealing",
    "examples",
    "sessions",
    "ranter_live",
    "field_reports",
    "knowledge",
    "jig",
    "readings",
    "corners",
    "enemies",
]
ENOUGH = 0.9
LONGEST_S = 60  # a mutant that runs longer has made an endless loop, and counts as killed

Place = tuple[str, int]  # a function: its file, and the line of its first statement's ``def``

_COMPARE = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
_COMPARE |= {ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is}
_BINARY = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.FloorDiv: ast.Mult}


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Every way to change this one node: what was done, and the changed node."""
    new = copy.deepcopy(node)
    if isinstance(new, ast.Compare) and type(new.ops[0]) in _COMPARE:
        new.ops[0] = _COMPARE[type(new.ops[0])]()
        yield "compare", new
    elif isinstance(new, ast.BinOp) and type(new.op) in _BINARY:
        new.op = _BINARY[type(new.op)]()
        yield "operator", new
    elif isinstance(new, ast.BoolOp):
        new.op = ast.Or() if isinstance(new.op, ast.And) else ast.And()
        yield "and/or", new
    elif isinstance(new, ast.UnaryOp) and isinstance(new.op, ast.Not):
        yield "not", new.operand
    elif isinstance(new, ast.Constant) and isinstance(new.value, bool):
        yield "bool", ast.Constant(not new.value)
    elif isinstance(new, ast.Constant) and isinstance(new.value, int):
        yield "number", ast.Constant(new.value + 1)


@dataclass(frozen=True)
class Mutant:
    """One thing changed in one function.

    ``name`` is ``file:function:what:number:hash of the function``: the same wherever the function stands.
    """

    name: str
    path: Path
    first: int  # the line where the function begins
    line: int
    source: Callable[[], str]

    @property
    def place(self) -> Place:
        """The function."""
        return str(self.path), self.first

    @property
    def words(self) -> str:
        """Where it is, for people."""
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.name.split(':')[2]} in {self.name.split(':')[1]}"


def _nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes inside a function that may be changed: annotations may not."""
    for statement in function.body:
        yield from (node for node in ast.walk(statement) if not isinstance(node, ast.arg | ast.AnnAssign))


def mutants(path: Path) -> list[Mutant]:
    """Every mutant of a file."""
    text = path.read_text(encoding="utf-8")
    tree, out = ast.parse(text), []
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        first = min([function.lineno, *(d.lineno for d in function.decorator_list)])
        digest = hashlib.sha256((ast.get_source_segment(text, function) or "").encode()).hexdigest()[:8]
        inner = {
            n for f in ast.walk(function) if isinstance(f, ast.FunctionDef) and f is not function for n in _nodes(f)
        }
        for number, node in enumerate(node for node in _nodes(function) if node not in inner):
            for what, new in changes(node):
                name = f"{path.relative_to(ROOT)}:{function.name}:{what}:{number}:{digest}"
                line = getattr(node, "lineno", first)
                out.append(Mutant(name, path, first, line, partial(_changed, tree, node, new)))
    return out


def _changed(tree: ast.Module, old: ast.AST, new: ast.AST) -> str:
    """The source with one node changed."""
    changed = _Swap(old, new).visit(copy.deepcopy(tree, {id(old): old}))
    return ast.unparse(ast.fix_missing_locations(changed))


class _Swap(ast.NodeTransformer):
    """One node for another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        """The new node in place of the old one."""
        return self.new if node is self.old else super().visit(node)


def apply(path: Path, source: str) -> None:
    """Put the mutated source in place of the module that is loaded, wherever its functions and classes are used."""
    module = sys.modules[".".join(path.relative_to(ROOT).with_suffix("").parts)]
    old = {name: value for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__}
    exec(compile(source, str(path), "exec"), vars(module))
    new = {id(value): vars(module)[name] for name, value in old.items()}
    for other in [m for n, m in sys.modules.items() if n.startswith(("firmware.referee", "tests.referee"))]:
        for name, value in list(vars(other).items()):
            if id(value) in new:
                setattr(other, name, new[id(value)])


class Hunt:
    """A pytest plugin: in place of running the tests once it runs them for every mutant."""

    def __init__(self, work: list[Mutant], kept: Path) -> None:
        self.work, self.kept = work, kept
        lines = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
        self.known: dict[str, bool] = {line["mutant"]: line["killed"] for line in map(json.loads, lines)}
        self.entered: dict[Place, list[tuple[float, Any]]] = defaultdict(list)
        self.failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """In a child the first failure is the end."""
        self.failed |= report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Look at the tests, then at the mutants."""
        for item in session.items:
            self._look(item)
        if self.failed:
            pytest.exit("the tests fail without any mutant", returncode=2)
        for mutant in self.work:
            if mutant.name not in self.known:
                self.known[mutant.name] = self._killed(mutant)
                with self.kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"mutant": mutant.name, "killed": self.known[mutant.name]}) + "\n")
        return True

    def _look(self, item: pytest.Item) -> None:
        """Run one test and note the functions of the rules that it enters."""
        places: set[Place] = set()
        files = {str(path) for path in TARGETS}

        def entering(frame: FrameType, event: str, arg: object) -> None:
            if event == "call" and frame.f_code.co_filename in files:
                places.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))

        start = time.perf_counter()
        sys.setprofile(entering)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        sys.setprofile(None)
        for place in places:
            self.entered[place].append((time.perf_counter() - start, item))

    def _killed(self, mutant: Mutant) -> bool:
        """Does a test fail with the mutant's source in place of the file?"""
        child = os.fork()
        if not child:
            os._exit(self._child(mutant))
        _, status = os.waitpid(child, 0)
        return status != 0

    def _child(self, mutant: Mutant) -> int:
        signal.alarm(LONGEST_S)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        try:
            apply(mutant.path, mutant.source())
            for _, item in sorted(self.entered[mutant.place], key=lambda pair: pair[0]):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
                if self.failed:
                    return 1
        except BaseException:
            return 1
        return 0


def main() -> int:
    """Run what has not run yet, and print the count and the survivors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=0, help="only so many, drawn by lot")
    parser.add_argument("--file", default="", help="only files whose name contains this")
    options = parser.parse_args()
    kept = ROOT / "build" / "mutants.jsonl"
    kept.parent.mkdir(exist_ok=True)
    work = [mutant for path in TARGETS if options.file in path.name for mutant in mutants(path)]
    if options.sample:
        work = random.Random(1).sample(work, min(options.sample, len(work)))
    hunt = Hunt(work, kept)
    tests = [str(ROOT / "tests/referee" / f"test_{name}.py") for name in TESTS]
    status = pytest.main([*tests, "-q", "-p", "no:cacheprovider", "-m", "not slow", "--no-header"], plugins=[hunt])
    if status not in (0, 5):
        return 2
    alive = [mutant for mutant in work if not hunt.known[mutant.name]]
    print("\n".join(mutant.words for mutant in alive))
    print(f"{len(work) - len(alive)} of {len(work)} mutants killed")
    return 0 if len(alive) <= (1 - ENOUGH) * len(work) else 1


if __name__ == "__main__":
    sys.exit(main())
