"""Small changes of a program that its tests should notice: one operator, constant or statement."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "+",
    ast.LShift: ">>", ast.RShift: "<<", ast.BitAnd: "|", ast.BitOr: "&", ast.BitXor: "|",
}  # fmt: skip
# What such calls do is not a result: how far a run is, and what a developer reads.
_UNSEEN = ("advance", "update", "close", "set_description")


class Mutation(NamedTuple):
    """One change of a file.

    Attributes
    ----------
    line : int
        The first line of what is changed, from 1.
    statement : int
        The first line of the statement that it is in, by which one knows whether it runs; of a
        default value, the first line of the function.
    start, end : int
        What is replaced, as offsets in bytes of the source.
    before, after : str
        The text that goes, and the text that comes.
    """

    line: int
    statement: int
    start: int
    end: int
    before: str
    after: str

    def apply(self, source: str) -> str:
        """Return the source with this change.

        Raises
        ------
        ValueError
            If it is not the source that this is a change of.
        """
        content = source.encode()
        if content[self.start : self.end].decode() != self.before:
            raise ValueError(f"line {self.line}: no {self.before!r} at {self.start}")
        return (content[: self.start] + self.after.encode() + content[self.end :]).decode()


def mutations(source: str) -> list[Mutation]:
    """Return all mutations of a module, in the order of their places.

    Left out are docstrings, annotations, messages of errors, and constants of a module: these are
    tuned by measurements, and most other values give the same results.
    """
    lines = [0]
    for line in source.encode().splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    found = []
    for node, statement, after in _changes(ast.parse(source)):
        start = lines[node.lineno - 1] + node.col_offset
        end = lines[node.end_lineno - 1] + node.end_col_offset  # type: ignore[operator]
        before = source.encode()[start:end].decode()
        if before != after:
            found.append(Mutation(node.lineno, statement, start, end, before, after))
    return sorted(set(found))


def _changes(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt, int, str]]:
    """Yield what can be changed, the line of its statement, and what it becomes."""
    pending: list[tuple[ast.AST, int]] = [
        (node, 0) for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    while pending:
        node, statement = pending.pop()
        if isinstance(node, ast.Raise | ast.Assert | ast.AnnAssign) and not _computes(node):
            continue
        if isinstance(node, ast.FunctionDef):
            statement = _without_docstring(node.body)[0].lineno
        elif isinstance(node, ast.stmt):
            statement = node.lineno
        if isinstance(node, ast.expr):
            yield from ((node, statement, after) for after in _expressions(node))
        elif isinstance(node, ast.stmt):
            yield from ((node, statement, after) for after in _statements(node))
        pending += [(part, statement) for part in _parts(node)]


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return body[1:] if documented and len(body) > 1 else body


def _computes(node: ast.AST) -> bool:
    return isinstance(node, ast.AnnAssign) and node.value is not None


def _parts(node: ast.AST) -> list[ast.AST]:
    """Return what is below a node, without annotations, decorators and docstrings."""
    if isinstance(node, ast.FunctionDef):
        return [*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body]
    if isinstance(node, ast.ClassDef):
        return [one for one in node.body if isinstance(one, ast.FunctionDef)]
    if isinstance(node, ast.AnnAssign):
        return [node.value] if node.value else []
    # Before Python 3.12, what is in an f-string has no places.
    if isinstance(node, ast.JoinedStr):
        return []
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return []
    return list(ast.iter_child_nodes(node))


def _expressions(node: ast.expr) -> Iterator[str]:
    """Yield what an expression can become."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
        yield f"({left} {_COMPARED[type(node.ops[0])]} {right})"
    elif isinstance(node, ast.BinOp) and type(node.op) in _COMPUTED:
        # Text is joined with the operators of numbers.
        if not any(isinstance(one, ast.JoinedStr) for one in (node.left, node.right)):
            left, right = ast.unparse(node.left), ast.unparse(node.right)
            yield f"(({left}) {_COMPUTED[type(node.op)]} ({right}))"
    elif isinstance(node, ast.BoolOp):
        word = " or " if isinstance(node.op, ast.And) else " and "
        yield "(" + word.join(f"({ast.unparse(value)})" for value in node.values) + ")"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert | ast.USub):
        yield f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.IfExp):
        test, yes, no = (ast.unparse(one) for one in (node.test, node.body, node.orelse))
        yield f"(({no}) if ({test}) else ({yes}))"
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield str(not node.value)
        elif isinstance(node.value, int):
            yield str(node.value + 1)


def _statements(node: ast.stmt) -> Iterator[str]:
    """Yield what a statement can become."""
    if isinstance(node, ast.Continue):
        yield "break"
    elif isinstance(node, ast.Break):
        yield "continue"
    elif isinstance(node, ast.AugAssign) and type(node.op) in _COMPUTED:
        target, value = ast.unparse(node.target), ast.unparse(node.value)
        yield f"{target} {_COMPUTED[type(node.op)]}= {value}"
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value.func
        if not (isinstance(called, ast.Attribute) and called.attr in _UNSEEN):
            yield "pass"
