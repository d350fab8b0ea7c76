"""The words of what people read, in two languages: one catalogue each, with the same keys.

Sentences are whole templates, so that each language has its own order of words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from simdup.output.words import en, en_answers, zh, zh_answers

# A text with named placeholders; or one for a single thing and one for several, as `n` says.
Template = str | tuple[str, str]


class Phrases:
    """The words of one language: called with a key and what fills its placeholders."""

    def __init__(self, language: str, catalogue: Mapping[str, Template]) -> None:
        self.language = language
        self._catalogue = catalogue

    def __call__(self, key: str, /, **values: Any) -> str:
        """Return a text, filled in; of two, `n` chooses."""
        template = self._catalogue[key]
        if isinstance(template, tuple):
            template = template[values["n"] != 1]
        return template.format(**values)

    def __contains__(self, key: str) -> bool:
        """Return whether there is a text of this key."""
        return key in self._catalogue

    def listed(self, parts: Iterable[str]) -> str:
        """Return parts with commas between them; empty ones are left out."""
        return self("comma").join(filter(None, parts))

    def sentence(self, parts: Iterable[str]) -> str:
        """Return parts as one sentence; empty ones are left out."""
        return self("semicolon").join(filter(None, parts)) + self("stop")


ENGLISH = Phrases("en", en.CATALOGUE | en_answers.CATALOGUE)
CHINESE = Phrases("zh", zh.CATALOGUE | zh_answers.CATALOGUE)


def words_of(language: str) -> Phrases:
    """Return the words of ``en`` or ``zh``."""
    return CHINESE if language == "zh" else ENGLISH


def language_of(environment: Mapping[str, str]) -> str:
    """Return the language that an environment asks for: the first variable that is set decides."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    asked = next(filter(None, map(environment.get, names)), "")
    return "zh" if asked.lower().startswith("zh") else "en"
