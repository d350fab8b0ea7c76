"""Planted copies of laws, changed in known ways, and which of them each method finds."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from lab.bench.labelled import JOBS, NamePair, Scanned, compact, scan
from lab.corpora import real
from lab.reporting import Cell, Table
from lab.trial import Trial, say

# Copies of each kind, each of another text; lengths of these texts in characters.
COPIES = 200
SHORTEST, LONGEST = 500, 20_000


def _changed(share: float) -> Callable[[str, random.Random], str]:
    """Return a function that changes a share of a text's characters, except white space."""

    def change(text: str, chance: random.Random) -> str:
        characters = list(text)
        places = [place for place, one in enumerate(characters) if not one.isspace()]
        others = sorted({characters[place] for place in places})
        for place in chance.sample(places, max(1, round(share * len(places)))):
            characters[place] = chance.choice([one for one in others if one != characters[place]])
        return "".join(characters)

    return change


def _moved(text: str, chance: random.Random) -> str:
    """Move a tenth of the sentences to other places."""
    sentences = re.findall(r"[^。]*。\s*|[^。]+$", text)
    for _ in range(max(1, len(sentences) // 10)):
        sentence = sentences.pop(chance.randrange(len(sentences)))
        sentences.insert(chance.randrange(len(sentences) + 1), sentence)
    return "".join(sentences)


def _headed(text: str, chance: random.Random) -> str:
    """Add the header that a site writes above its texts: some 110 characters."""
    day = f"{chance.randint(1990, 2024)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    number, reads = chance.randint(10_000, 99_999), chance.randint(100, 99_999)
    return (
        f"首页 > 资料库 > 法规全文 > 第{number}号\n"
        f"发布日期：{day}　浏览次数：{reads}　字号：大 中 小　打印本页　收藏　关闭窗口\n"
        "【提示】本站转载的内容仅供学习与参考，如与正式文本不一致，以正式文本为准。\n\n" + text
    )


def _cut(text: str, chance: random.Random) -> str:
    """Cut off the end: a twentieth to three tenths of the text."""
    return text[: round(len(text) * (1 - chance.uniform(0.05, 0.3)))]


KINDS: dict[str, Callable[[str, random.Random], str]] = {
    "1 % of characters changed": _changed(0.01),
    "2 % of characters changed": _changed(0.02),
    "5 % of characters changed": _changed(0.05),
    "10 % of characters changed": _changed(0.1),
    "a tenth of sentences moved": _moved,
    "a header of 110 characters": _headed,
    "a tail of 5 to 30 % cut": _cut,
}


class Planted(NamedTuple):
    """A document and its copy, the kind of copy, and the similarity of the folded texts."""

    pair: NamePair
    kind: str
    similarity: float


# For each similarity, the settings that are measured on pairs of at least that similarity.
# At 0.8 a scan should find few kinds; at 0.4 all of them.
SETTINGS: dict[float, dict[str, str]] = {
    0.8: {
        "auto": "",
        "simhash -d 3": "--method simhash -d 3",
        "simhash -d 6": "--method simhash -d 6",
        "minhash": "--method minhash",
        "pstable": "--method pstable",
    },
    0.4: {
        "auto": "-s 0.4",
        "simhash -d 3": "--method simhash -d 3 -s 0.4",
        "simhash -d 6": "--method simhash -d 6 -s 0.4",
        "minhash": "--method minhash -s 0.4",
        "pstable, --cosine 0.9": "--method pstable --cosine 0.9 -s 0.4",
    },
}


def run(trial: Trial) -> Iterator[Table]:
    """Plant copies among all laws and find them again."""
    folder = trial.folder / "planted"
    texts, planted = _planted(folder, trial.pick(300, None))
    for least, settings in SETTINGS.items():
        found: dict[str, Scanned] = {}
        for title, how in settings.items():
            say(f"planted, {how}")
            found[title] = scan(folder, texts, how.split())
        rows: list[tuple[Cell, ...]] = []
        for kind in (*KINDS, "all"):
            of_kind = [one for one in planted if kind in (one.kind, "all")]
            true = {one.pair for one in of_kind if one.similarity >= least}
            recalls = [
                len(true & one.pairs) / len(true) if true else None for one in found.values()
            ]
            rows.append((kind, len(of_kind), len(true), *recalls))
        rows.append(("candidates a document", None, None, *(s.candidates for s in found.values())))
        spent = (one.ran.seconds for one in found.values())
        rows.append((f"seconds, {JOBS} jobs", None, None, *spent))
        columns = ("kind of copy", "copies", f"at {least:g} or more", *settings)
        yield Table(f"Recall of planted copies, -s {least:g}", columns, rows)


def _planted(folder: Path, most: int | None) -> tuple[dict[str, str], list[Planted]]:
    """Write all laws, then copies of some: as many of each kind, each of another law."""
    from simdup.features.folding import fold
    from simdup.features.shingles import Shingler
    from simdup.model.shingling import Shingling
    from simdup.verify.resemblance import resemblance

    chance, shingler = random.Random(11), Shingler(Shingling())
    contents = [text for _, text in real.texts("laws")[:most]]
    first = {compact(fold(text)): place for place, text in reversed(list(enumerate(contents)))}
    fit = sorted(p for p in first.values() if SHORTEST <= len(contents[p]) <= LONGEST)
    originals = chance.sample(fit, min(COPIES * len(KINDS), len(fit)))
    planted: list[Planted] = []
    for number, place in enumerate(originals):
        kind = list(KINDS)[number % len(KINDS)]
        copy = KINDS[kind](contents[place], chance)
        sets = (shingler.shingles(compact(fold(text))) for text in (contents[place], copy))
        pair = (f"{place:07d}", f"{len(contents):07d}")
        planted.append(Planted(pair, kind, resemblance(*sets)))
        contents.append(copy)
    real.write(contents, folder)
    return {f"{number:07d}": text for number, text in enumerate(contents)}, planted
