"""Edits of a text, as people and programs make them: each takes a text and a source of chance."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import cycle

Edit = Callable[[str, random.Random], str]
NamePair = tuple[str, str]


def with_copies(
    originals: Sequence[str], edits: Mapping[str, Edit], chance: random.Random
) -> tuple[dict[str, str], dict[str, list[NamePair]]]:
    """Return the originals and an edited copy of each by name, and the pairs of each edit."""
    texts: dict[str, str] = {}
    pairs: dict[str, list[NamePair]] = {name: [] for name in edits}
    for number, (original, name) in enumerate(zip(originals, cycle(edits), strict=False)):
        texts |= {f"{number}": original, f"{number}'": edits[name](original, chance)}
        pairs[name].append((f"{number}", f"{number}'"))
    return texts, pairs


def spliced(text: str, chance: random.Random) -> str:
    """Replace, insert or delete 1 to 4 characters in 1 place, or in up to a hundredth of them."""
    for _ in range(chance.randint(1, max(1, len(text) // 100))):
        start, taken = chance.randrange(len(text)), chance.randrange(len(text))
        size = chance.randint(1, 4)
        gone, new = chance.choice([(size, size), (0, size), (size, 0)])
        text = text[:start] + text[taken : taken + new] + text[start + gone :]
    return text


def replaced(text: str, chance: random.Random, share: float) -> str:
    """Replace a share of the characters, except white space, by others of the text."""
    characters = list(text)
    places = [place for place, one in enumerate(characters) if not one.isspace()]
    others = sorted({characters[place] for place in places})
    for place in chance.sample(places, max(1, round(share * len(places)))):
        characters[place] = chance.choice([one for one in others if one != characters[place]])
    return "".join(characters)


def reworded(text: str, chance: random.Random, share: float) -> str:
    """Add, remove or swap a share of the words: two characters of Chinese each."""
    words = re.findall(r"[a-zA-Z]+|[\u4e00-\u9fff]{1,2}|\s+|.", text)
    places = [place for place, word in enumerate(words) if word[0].isalpha()]
    for place in chance.sample(places, int(len(places) * share)):
        other = words[chance.choice(places)]
        words[place] = chance.choice(["", words[place] + other, other])
    return "".join(words)


# -- of documents --


def _moved(text: str, chance: random.Random) -> str:
    sentences = re.findall(r"[^。]*。\s*|[^。]+$", text)
    for _ in range(max(1, len(sentences) // 10)):
        sentence = sentences.pop(chance.randrange(len(sentences)))
        sentences.insert(chance.randrange(len(sentences) + 1), sentence)
    return "".join(sentences)


def _headed(text: str, chance: random.Random) -> str:
    day = f"{chance.randint(1990, 2024)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    number, reads = chance.randint(10_000, 99_999), chance.randint(100, 99_999)
    return (
        f"首页 > 资料库 > 法规全文 > 第{number}号\n"
        f"发布日期：{day}　浏览次数：{reads}　字号：大 中 小　打印本页　收藏　关闭窗口\n"
        "【提示】本站转载的内容仅供学习与参考，如与正式文本不一致，以正式文本为准。\n\n" + text
    )


OF_DOCUMENTS: dict[str, Edit] = {
    "1 % of characters changed": partial(replaced, share=0.01),
    "2 % of characters changed": partial(replaced, share=0.02),
    "5 % of characters changed": partial(replaced, share=0.05),
    "10 % of characters changed": partial(replaced, share=0.1),
    "a tenth of sentences moved": _moved,
    "a header of 110 characters": _headed,
    "a tail of 5 to 30 % cut": lambda text, chance: text[
        : round(len(text) * (1 - chance.uniform(0.05, 0.3)))
    ],
}


# -- of short texts --

# Wording alone: no 不, no numeral, no unit, no part such as 上 or 甲 is put in or taken out.
_EVERYDAY = "的是了我人在他有这们来到为子你说国也就和出会可自好去过"
_SAYS_ELSE = (
    "不无未没非别勿免否零一二两三四五六七八九十百千万亿半元角分日月年时点上中下前后左右甲乙丙丁"
)
_WORDING = re.compile(
    rf"(?:(?![{_SAYS_ELSE}])[\u4e00-\u9fff]){{2,}}|(?<![\w./-])[a-z]{{4,}}(?![\w./-])", re.A
)


def _word(text: str, chance: random.Random, gone: int, new: int) -> str:
    """Replace, insert or delete two characters of words."""
    words = [match.span() for match in _WORDING.finditer(text)]
    places = [place for start, end in words for place in range(start, end - 1)]
    place = chance.choice(places or [len(text)])
    return text[:place] + "".join(chance.choices(_EVERYDAY, k=new)) + text[place + gone :]


def _link_added(text: str, chance: random.Random) -> str:
    return f"{text} {chance.choice('😀🎉👍')} https://t.cn/A{chance.randrange(10**6)}"


def _punctuation(text: str, chance: random.Random) -> str:
    return "".join(chance.choice(" ！，…") if c in "，。、；：！？,.;:!?" else c for c in text)


OF_SHORT_TEXTS: dict[str, Edit] = {
    "a word changed": partial(_word, gone=2, new=2),
    "a word added": partial(_word, gone=0, new=2),
    "a word left out": partial(_word, gone=2, new=0),
    "an emoji and a link": _link_added,
    "other punctuation": _punctuation,
}
