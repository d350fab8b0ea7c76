"""Options that reach a command as one value."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from simdup.cli.options.help import Option

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def option(*names: str, panel: str, **settings: Any) -> Decorator:
    """Return the decorator that adds an `Option`."""
    return click.option(*names, cls=Option, panel=panel, **settings)


def value(name: str, make: Callable[..., Any], *options: Decorator) -> Decorator:
    """Return the decorator that adds options, and hands the command what is made of them.

    Parameters
    ----------
    name : str
        The command's parameter.
    make : callable
        Called with the options as keywords.
    *options : decorator
        From `option` or `click.argument`.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def nothing() -> None: ...

        for one in reversed(options):
            one(nothing)
        parameters: list[click.Parameter] = nothing.__click_params__  # type: ignore[attr-defined]
        own = [one.name for one in parameters if one.expose_value]

        @functools.wraps(function)
        def command(**given: Any) -> Any:
            taken = {key: given.pop(key) for key in own if key is not None}
            return function(**given, **{name: make(**taken)})

        known = getattr(function, "__click_params__", [])
        command.__click_params__ = [*known, *parameters]  # type: ignore[attr-defined]
        return command

    return decorate
