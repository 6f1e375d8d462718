"""Small changes of a module, each of which a test should notice: what `tools.mutants` tries."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
}
_SWAPPED = {"max": "min", "min": "max", "any": "all", "all": "any"}

Change = Callable[[], ast.AST]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change. `name` says where and what, and stays the same when lines move."""

    name: str
    line: int
    source: str


def mutants(source: str) -> list[Mutant]:
    """Return every mutant of a module, in the order of its lines."""
    tree = ast.parse(source)
    found: list[Mutant] = []
    seen: Counter[str] = Counter()
    for place in _places(tree):
        for change in _changes(place.node):
            new = change()
            name = f"{place.function}: {_short(place.node)} → {_short(new)}"
            seen[name] += 1
            count = f" (#{seen[name]})" if seen[name] > 1 else ""
            place.put(new)
            made = ast.unparse(ast.fix_missing_locations(tree))
            place.put(place.node)
            line = getattr(place.node, "lineno", 0)
            found.append(Mutant(name=name + count, line=line, source=made))
    return found


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return f"`{text}`" if len(text) <= 90 else f"`{text[:89]}…`"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a node stands: in a field of its parent, or in a list there."""

    node: ast.AST
    parent: ast.AST
    field: str
    index: int | None
    function: str

    def put(self, node: ast.AST) -> None:
        """Have another node stand there."""
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def _places(tree: ast.AST, function: str = "module") -> Iterator[_Place]:
    """Walk a tree, but for types, docstrings, decorators, and what only a type checker reads."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "type_comment"):
            continue
        for index, child in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(child, ast.AST) or _is_idle(child):
                continue
            at = index if isinstance(value, list) else None
            yield _Place(node=child, parent=tree, field=name, index=at, function=function)
            yield from _places(child, _name(child, function))


def _name(node: ast.AST, within: str) -> str:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name if within == "module" else f"{within}.{node.name}"
    return within


def _is_idle(node: ast.AST) -> bool:
    """Tell whether a change would be none: words of documentation, types, lists of public names."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Import() | ast.ImportFrom():
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__" | "__slots__")]):
            return True
        case ast.Assign(value=ast.Call(func=ast.Name(id="TypeVar" | "ParamSpec"))):
            return True
    return False


def _changes(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in _COMPARISONS:
            yield lambda: ast.Compare(node.left, [_COMPARISONS[type(operator)]()], node.comparators)
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield lambda: ast.BoolOp(other, node.values)
        case ast.UnaryOp(op=ast.Not()):
            yield lambda: node.operand
        case ast.BinOp() if type(node.op) in _ARITHMETIC:
            yield lambda: ast.BinOp(node.left, _ARITHMETIC[type(node.op)](), node.right)
        case ast.Constant(value=bool()):
            yield lambda: ast.Constant(not node.value)
        case ast.Constant(value=int() | float() as number):
            yield lambda: ast.Constant(number + 1)
            yield lambda: ast.Constant(number - 1)
        case ast.Return(value=value) if not _is_false(value):
            yield lambda: ast.Return(ast.Constant(None))
        case ast.Expr(value=ast.Call() | ast.Await(value=ast.Call())) | ast.Raise():
            yield ast.Pass
        case ast.Name(id=name) if name in _SWAPPED:
            yield lambda: ast.Name(_SWAPPED[name], ast.Load())


def _is_false(node: ast.expr | None) -> bool:
    """Tell whether nothing would be the same for all who ask yes or no; True is tried instead."""
    return node is None or (
        isinstance(node, ast.Constant) and (node.value is None or node.value is False)
    )
