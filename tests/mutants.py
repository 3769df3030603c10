"""Do the tests notice a wrong rule? Each mutant changes one thing in one file of the rules; a test has to fail.

``python -m tests.mutants [--sample N] [--file NAME]`` from the checkout. Every mutant runs in a child of a warm
process; what was found is kept in ``build/mutants.jsonl``, so that a run that was stopped goes on where it was. Exit
status 1 when fewer than nine of ten mutants are killed. The survivors are printed with their lines.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import hashlib
import importlib.abc
import importlib.util
import io
import json
import os
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
RULES = [*sorted((ROOT / "firmware/referee/games").glob("[!_]*.py")), ROOT / "firmware/referee/games/_rows.py"]
TARGETS = [*RULES, ROOT / "firmware/referee/knowledge.py"]
#: The quick ones: examples, golden sessions, rules worked out by hand, field reports.
TESTS = ["examples", "sessions", "house_rules", "ranter_live", "field_reports", "knowledge"]
ENOUGH = 0.9
LONGEST_S = 60  # a mutant that runs longer has made an endless loop, and counts as killed

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


def _in_functions(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes inside functions, but for annotations."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for statement in function.body:
                yield from (n for n in ast.walk(statement) if not isinstance(n, ast.arg | ast.AnnAssign))


def mutants(path: Path) -> dict[str, Callable[[], str]]:
    """Every mutant of a file: its name (``file:line:what:number:hash of the file``), and how to get its source."""
    text = path.read_text(encoding="utf-8")
    tree, digest = ast.parse(text), hashlib.sha256(text.encode()).hexdigest()[:8]
    out: dict[str, Callable[[], str]] = {}
    for number, node in enumerate(dict.fromkeys(_in_functions(tree))):
        for what, new in changes(node):
            name = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}:{what}:{number}:{digest}"
            out[name] = partial(_changed, tree, node, new)
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


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the mutant in place of its module."""

    def __init__(self, name: str, source: str) -> None:
        self.name, self.source = name, source

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Only the mutated module."""
        return importlib.util.spec_from_loader(name, self) if name == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        """Run the mutated source."""
        exec(compile(self.source, module.__name__, "exec"), module.__dict__)


def killed(path: Path, source: str) -> bool:
    """Does a test fail with this source in place of the file?"""
    child = os.fork()
    if not child:
        os._exit(_child(path, source))
    _, status = os.waitpid(child, 0)
    return status != 0


def _child(path: Path, source: str) -> int:
    import signal

    import pytest

    signal.alarm(LONGEST_S)
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    sys.meta_path.insert(0, _Finder(module, source))
    tests = [str(ROOT / "tests/referee" / f"test_{name}.py") for name in TESTS]
    options = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not slow", "--no-header", "--tb=no"]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return int(pytest.main([*options, *tests]))


def main() -> int:
    """Run what has not run yet, and print the count and the survivors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=0, help="only so many, drawn by lot")
    parser.add_argument("--file", default="", help="only files whose name contains this")
    options = parser.parse_args()
    kept = ROOT / "build" / "mutants.jsonl"
    kept.parent.mkdir(exist_ok=True)
    lines = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
    known = {line["mutant"]: line["killed"] for line in map(json.loads, lines)}
    work = [(path, *mutant) for path in TARGETS if options.file in path.name for mutant in mutants(path).items()]
    if options.sample:
        work = random.Random(1).sample(work, min(options.sample, len(work)))
    for path, name, source in work:
        if name not in known:
            known[name] = killed(path, source())
            with kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"mutant": name, "killed": known[name]}) + "\n")
    alive = [name for _, name, _ in work if not known[name]]
    print("\n".join(alive))
    print(f"{len(work) - len(alive)} of {len(work)} mutants killed")
    return 0 if len(alive) <= (1 - ENOUGH) * len(work) else 1


if __name__ == "__main__":
    sys.exit(main())
