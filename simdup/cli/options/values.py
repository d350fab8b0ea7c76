"""Options declared as the help shows them, and groups of options that become one value."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from simdup.cli.options.help import Option

# What the help calls files and folders: shells complete them, and a configuration's start from it.
_PATHS = ("FILE", "PATH", "SOURCE", "MODEL", "OUT", "IDF")

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def option(spelling: str, text: str, kind: Any = None, **settings: Any) -> Decorator:
    """Return the decorator that adds an option.

    Parameters
    ----------
    spelling : str
        As the help shows it, such as ``-d, --distance K``.  Without a metavar and a kind, the
        option is a flag.
    text : str
        The help text.
    kind : type, optional
        A Click type, or a tuple of choices, which the help lists.
    **settings
        Those of `Option`, and two more: `name`, the command's parameter, if it differs from the
        option's name; and `defaults`, an object whose field of that name is the default.
    """
    *names, last = spelling.replace(",", "").split()
    metavar = None if last.startswith("-") else last
    names += [last] if metavar is None else []
    name = settings.pop("name", names[-1].partition("/")[0].lstrip("-").replace("-", "_"))
    if (defaults := settings.pop("defaults", None)) is not None:
        settings.setdefault("default", getattr(defaults, name))
    if isinstance(kind, tuple):
        kind = click.Choice(kind)
    if kind is None and metavar in _PATHS:
        kind = click.Path(readable=False)
    if metavar is None and kind is None:
        settings["is_flag"] = True
    return click.option(*names, name, cls=Option, metavar=metavar, type=kind, help=text, **settings)


def value(name: str, make: Callable[..., Any], *options: Decorator) -> Decorator:
    """Return the decorator that adds options and passes them to the command as one value.

    Parameters
    ----------
    name : str
        The command's parameter.
    make : callable
        Called with the options as keywords.
    *options : decorator
        From `option`, `click.argument` or `value`: values nest.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def build(**given: Any) -> Any:
            return make(**given)

        built: Callable[..., Any] = build
        for one in reversed(options):
            built = one(built)
        parameters: list[click.Parameter] = built.__click_params__  # type: ignore[attr-defined]
        own = [one.name for one in parameters if one.expose_value]

        @functools.wraps(function)
        def command(**given: Any) -> Any:
            taken = {key: given.pop(key) for key in own if key is not None}
            return function(**given, **{name: built(**taken)})

        known = getattr(function, "__click_params__", [])
        command.__click_params__ = [*known, *parameters]  # type: ignore[attr-defined]
        return command

    return decorate
