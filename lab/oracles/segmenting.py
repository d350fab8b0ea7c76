"""jieba itself, whose words those of `simdup.kernels.words` must be."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterable

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import jieba
    from jieba import finalseg

Entry = tuple[str, str | None, str | None]


def segmenter(entries: Iterable[Entry] = ()) -> Callable[[str], list[str]]:
    """Return what cuts a run of Han characters, with words of one's own."""
    logging.getLogger("jieba").setLevel(logging.CRITICAL + 1)
    engine = jieba.Tokenizer()
    engine.FREQ, engine.total = engine.gen_pfdict(engine.get_dict_file())
    engine.initialized = True
    # All tokenizers share these, so they are put in their place for every call.
    before, finalseg.Force_Split_Words = finalseg.Force_Split_Words, set()
    for word, frequency, tag in entries:
        engine.add_word(word, frequency, tag)
    split, finalseg.Force_Split_Words = finalseg.Force_Split_Words, before

    def cut(run: str) -> list[str]:
        kept, finalseg.Force_Split_Words = finalseg.Force_Split_Words, split
        try:
            words: list[str] = engine.lcut(run)
        finally:
            finalseg.Force_Split_Words = kept
        return words

    return cut
