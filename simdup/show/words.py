"""The words of what people read, in two languages: `words.json` has each text in both.

Sentences are whole templates, so that each language has its own order of words.  Those of a report
have named placeholders, those of a page numbered ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from simdup.base.system import user_language

# A text with placeholders; or one for a single thing and one for several.
Template = str | list[str]

_WORDS = json.loads(Path(__file__).with_name("words.json").read_text("utf-8"))


def _in(language: str, texts: Mapping[str, Mapping[str, Template]]) -> dict[str, Template]:
    return {key: text[language] for key, text in texts.items()}


class Phrases:
    """The words of reports in one language: called with a key and what fills its placeholders."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._catalogue = _in(language, _WORDS["report"])

    def __call__(self, key: str, /, **values: Any) -> str:
        """Return a text, filled in; of two, `n` chooses."""
        template = self._catalogue[key]
        if isinstance(template, list):
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


ENGLISH = Phrases("en")
CHINESE = Phrases("zh")


def words_of(language: str) -> Phrases:
    """Return the words of ``en`` or ``zh``."""
    return CHINESE if language == "zh" else ENGLISH


def page_words(kind: str) -> dict[str, dict[str, Template]]:
    """Return the words of a page in each language: those of a scan, or its kind's own ones."""
    texts = _WORDS["page"]["scan"] | _WORDS["page"].get(kind, {})
    return {language: _in(language, texts) for language in ("en", "zh")}


def language_of(environment: Mapping[str, str]) -> str:
    """Return the language that an environment asks for: the first variable that is set decides."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    asked = next(filter(None, map(environment.get, names)), "") or user_language()
    return "zh" if asked.lower().startswith(("zh", "chinese")) else "en"
