"""The shape of the code in figures: ``python tests/shape.py [FOLDER]`` prints them.

`project/test_shape.py` compares the same figures with the limits.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

FILE, CLASS, FUNCTION = 600, 300, 60  # lines; of a function only those that hold code
SMALL = 100  # lines of code of a module that should join its only importer
PRIVATE, PUBLIC = 6, 7  # parameters; of public functions without keyword-only ones

# Parameters that belong together: a signature with all of a set should use one value.
SIDE_BY_SIDE = (
    ("counts", "idf", "recipe"),
    ("idf", "recipe"),
    ("reading", "effort"),
    ("reading", "run"),
    ("bits", "distance"),
)

_NOT_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENDMARKER, tokenize.ENCODING,
}  # fmt: skip

# A command, a format or a page is a file of its own, whoever imports it.
_APART = ("simdup/cli/", "simdup/corpus/", "simdup/show/report/")
KERNELS = Path(__file__).resolve().parents[1] / "simdup" / "kernels"

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Definition(NamedTuple):
    """A class or function: its place, its name, and a figure."""

    path: str
    name: str
    figure: int

    def __str__(self) -> str:
        return f"{self.path}:{self.name} {self.figure}"


class Module:
    """One parsed file."""

    def __init__(self, root: Path, path: Path) -> None:
        self.path = path.relative_to(root).as_posix()
        text = path.read_text("utf-8")
        self.name = self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        self.text = text
        self.lines = text.count("\n")

    @cached_property
    def tree(self) -> ast.Module:
        """What it says."""
        return ast.parse(self.text)

    @cached_property
    def code(self) -> set[int]:
        """The lines with code."""
        return {
            line
            for token in tokenize.generate_tokens(io.StringIO(self.text).readline)
            if token.type not in _NOT_CODE
            for line in range(token.start[0], token.end[0] + 1)
        }

    @cached_property
    def walk(self) -> list[tuple[str, ast.AST]]:
        """Every class and function with its dotted name."""

        def below(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.AST]]:
            for child in ast.iter_child_nodes(node):
                name = prefix
                if isinstance(child, Function | ast.ClassDef):
                    name = f"{prefix}.{child.name}".lstrip(".")
                    yield name, child
                yield from below(child, name)

        return list(below(self.tree, ""))

    @cached_property
    def imported(self) -> set[str]:
        """The names that it imports, for types only and late ones too."""
        names = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
            elif isinstance(node, ast.Import):
                names |= {one.name for one in node.names}
        return names

    def functions(self) -> Iterator[tuple[str, Function]]:
        """Yield every function with its dotted name."""
        return ((name, node) for name, node in self.walk if isinstance(node, Function))


def modules(folder: Path) -> list[Module]:
    """Parse all files of a package."""
    return [Module(folder.parent, path) for path in sorted(folder.rglob("*.py"))]


def long_files(found: list[Module]) -> list[Definition]:
    """List the files above the limit."""
    return [Definition(m.path, "", m.lines) for m in found if m.lines > FILE]


def long_classes(found: list[Module]) -> list[Definition]:
    """List the classes above the limit."""
    sizes = (
        Definition(m.path, name, (node.end_lineno or 0) - node.lineno + 1)
        for m in found
        for name, node in m.walk
        if isinstance(node, ast.ClassDef)
    )
    return [one for one in sizes if one.figure > CLASS]


def code_lines(module: Module, node: Function) -> int:
    """Count the lines of code of a function, without docstring, comments and blank lines."""
    docstring = ast.get_docstring(node, clean=False)
    first = node.body[0]
    held = module.code.intersection(range(node.lineno, (node.end_lineno or 0) + 1))
    if docstring is not None:
        held -= set(range(first.lineno, (first.end_lineno or 0) + 1))
    return len(held)


def long_functions(found: list[Module]) -> list[Definition]:
    """List the functions above the limit."""
    sizes = (
        Definition(m.path, name, code_lines(m, node)) for m in found for name, node in m.functions()
    )
    return [one for one in sizes if one.figure > FUNCTION]


def parameters(node: Function, keywords: bool = True) -> list[str]:
    """Return the names of a function's parameters, without `self` and `cls`."""
    given = node.args
    names = [one.arg for one in (*given.posonlyargs, *given.args)]
    names += [one.arg for one in given.kwonlyargs] if keywords else []
    return [name for name in names if name not in ("self", "cls")]


def many_parameters(found: list[Module]) -> list[Definition]:
    """List the functions with more parameters than they should have."""
    many = []
    for module in found:
        for name, node in module.functions():
            private = name.rpartition(".")[2].startswith("_") and not node.name.startswith("__")
            count = len(parameters(node, keywords=private))
            if count > (PRIVATE if private else PUBLIC):
                many.append(Definition(module.path, name, count))
    return many


def side_by_side(found: list[Module], names: tuple[str, ...]) -> list[Definition]:
    """List the signatures that carry all of these parameters; typed keywords do not count."""
    return [
        Definition(module.path, name, len(parameters(node)))
        for module in found
        for name, node in module.functions()
        if set(names) <= set(parameters(node, keywords=False))
    ]


def code_size(module: Module) -> int:
    """Count the lines of code of a file, without docstrings, comments and blank lines."""
    held = set(module.code)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Module | ast.ClassDef | Function) and ast.get_docstring(node):
            held -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(held)


def classes(found: list[Module]) -> list[str]:
    """List the names of all classes."""
    return [node.name for m in found for _, node in m.walk if isinstance(node, ast.ClassDef)]


def repeated(names: Iterable[str]) -> list[str]:
    """List the names that are used more than once."""
    return sorted(name for name, count in Counter(names).items() if count > 1)


def file_names(found: list[Module]) -> list[str]:
    """List the names of files; a command and its verb may have the same one."""
    paths = [Path(m.path) for m in found]
    verbs = {path.name for path in paths if path.parent.name == "operations"}
    # Those of `simdup index` are methods of the class `Index`.
    verbs.add("index.py")
    return [
        path.name
        for path in paths
        if path.name not in ("__init__.py", "__main__.py")
        and not (path.parent.name == "cli" and path.name in verbs)
    ]


def imports(module: Module, known: Collection[str]) -> set[str]:
    """Return the modules of the package that a file imports."""
    return module.imported.intersection(known)


def graph(found: list[Module]) -> dict[str, set[str]]:
    """Return what each module imports."""
    known = {m.name for m in found}
    return {m.name: imports(m, known) - {m.name} for m in found}


def closure(name: str, found: list[Module]) -> set[str]:
    """Return a module and all that it imports, directly or not."""
    edges, seen, open_ = graph(found), {name}, [name]
    while open_:
        new = edges[open_.pop()] - seen
        seen |= new
        open_ += new
    return seen


def lonely(found: list[Module]) -> list[str]:
    """List the small modules with a single importer, which could be a part of it."""
    importers = Counter(one for names in graph(found).values() for one in names)
    return [
        m.name
        for m in found
        if importers[m.name] == 1
        and code_size(m) < SMALL
        and not m.path.endswith(("__init__.py", "__main__.py"))
        and not m.path.startswith(_APART)
    ]


def most_fields(found: list[Module]) -> Definition:
    """Return the class with the most fields."""
    sizes = (
        Definition(m.path, name, sum(isinstance(one, ast.AnnAssign) for one in node.body))
        for m in found
        for name, node in m.walk
        if isinstance(node, ast.ClassDef)
    )
    return max(sizes, key=lambda one: one.figure)


def _count_lines(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def ceilings(found: list[Module]) -> dict[str, int]:
    """Return the figures that only fall."""
    scan = next(m for m in found if m.name == "simdup.operations.scan")
    return {
        "lines": sum(m.lines for m in found),
        "lines of compiled loops": sum(map(_count_lines, KERNELS.glob("*.pyx"))),
        "lines in simdup/cli": sum(m.lines for m in found if m.path.startswith("simdup/cli/")),
        "files": len(found),
        "classes": len(classes(found)),
        "class names used twice": len(repeated(classes(found))),
        "file names used twice": len(repeated(file_names(found))),
        "small modules with one importer": len(lonely(found)),
        "modules that a scan imports": len(closure("simdup.operations.scan", found)),
        "modules that the file of scan imports": len(imports(scan, {m.name for m in found})),
        "fields of the largest class": most_fields(found).figure,
        '"None where" and "None if"': sum(
            m.text.count("None where") + m.text.count("None if") for m in found
        ),
    }


def main(folder: str = "simdup") -> None:
    """Print the figures of a package, and where they come from."""
    found = modules(Path(folder).resolve())
    figures = {
        f"files above {FILE} lines": long_files(found),
        f"classes above {CLASS} lines": long_classes(found),
        f"functions above {FUNCTION} lines of code": long_functions(found),
        f"private functions above {PRIVATE} parameters, public above {PUBLIC}": many_parameters(
            found
        ),
        **{
            f"signatures with {', '.join(names)}": side_by_side(found, names)
            for names in SIDE_BY_SIDE
        },
    }
    for what, where in figures.items():
        print(f"{len(where):>4}  {what}")
        for one in where:
            print(f"        {one}")
    for what, figure in ceilings(found).items():
        print(f"{figure:>6}  {what}")


if __name__ == "__main__":
    main(*sys.argv[1:])
