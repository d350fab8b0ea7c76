"""Texts made up from seeds: another one for each."""

import random
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import resources
from pathlib import Path

import numpy as np

from simdup.corpus.spool import Slot
from simdup.model.table import Documents
from simdup.near.texts import cut_slot
from simdup.text.characters import DIGEST_TYPE, PreparedText


@cache
def simplified_characters() -> dict[int, int]:
    """The project's table of characters and of their simplified ones."""
    return {code: ord(s) for row in _tables() for code, s in row.items()}


@cache
def traditional_characters() -> dict[int, int]:
    """A traditional character of each simplified one."""
    return {ord(s): code for code, s in _tables()[0].items()}


def _tables() -> list[dict[int, str]]:
    """The tables of the project: traditional characters, Japanese ones, radicals."""
    content = (resources.files("simdup.text") / "simplified.txt").read_text("utf-8")
    rows = [line for line in content.splitlines() if line[0] != "#"]
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return [dict(zip(map(ord, others), row, strict=True)) for others, row in pairs]


_HAN = (
    "河岸 老人 清晨 钓鱼 木船 漂流 石桥 市场 面包 书店 邮局 火车 山谷 樱桃 果园 农夫 雨伞 窗户 "
    "钢琴 练习 学校 操场 足球 比赛 冠军 医院 护士 病房 安静 走廊 电灯 修理 工人 水泥 楼房 电梯 "
    "厨房 土豆 辣椒 味道 晚饭 月亮 星星 望远镜 科学 实验 温度 记录 报告 会议 经理 合同 签字 银行 "
    "利息 存款 法律 规定 条例 法院 判决 证据 记者 新闻 报纸 广播 音乐 舞蹈 剧院 观众 掌声 海洋 "
    "渔船 灯塔 风暴 沙滩 贝壳 森林 松树 野兔 猎人 小屋 火炉 冬天 雪花 冰川 探险 地图 指南针 骆驼 "
    "沙漠 绿洲 集市 香料 商队 帝国 城墙 历史 博物馆 陶器 考古"
)
_LATIN = (
    "harbour lantern copper meadow orchard violin granite teapot caravan glacier beacon saddle "
    "thimble walnut pepper marble anchor ribbon cellar turnip falcon compass quarry barley "
    "canvas kettle hammock pebble candle ferry trellis bellows parchment gosling spindle thatch"
)
HAN, LATIN = _HAN.split(), _LATIN.split()


def prose(seed: int, words: int = 120) -> str:
    """Sentences of Chinese and some Latin words: another text for every seed."""
    chance = random.Random(seed)
    parts = []
    for number in range(1, words + 1):
        parts.append(f" {chance.choice(LATIN)} " if chance.random() < 0.1 else chance.choice(HAN))
        if number % 9 == 0:
            parts.append("。\n" if number % 3 == 0 else "，")
    return "".join(parts)


def characters(chance: random.Random, length: int) -> str:
    """Return any of 2,500 characters, everyday ones from one block, the first ones more often."""
    return "".join(chr(0x4E00 + int(2500 * chance.random() ** 2)) for _ in range(length))


def edited(text: str, seed: int = 0, edits: int = 1) -> str:
    """The text with a few characters replaced."""
    chance = random.Random(seed)
    characters = list(text)
    for _ in range(edits):
        characters[chance.randrange(len(characters))] = chance.choice("天地人你我他")
    return "".join(characters)


def near(text: str) -> str:
    """The text with other punctuation: the same words, but other characters."""
    return text.replace("。", "！", 3)


def write(folder: Path, texts: dict[str, str]) -> Path:
    """Write texts as files of a folder."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder


def in_memory(contents: Sequence[bytes]) -> tuple[Documents, Callable[[Slot], bytes]]:
    """Return a table of texts that are not in a spool, and what returns the bytes of a slot."""
    sizes = list(map(len, contents))
    slots = np.array([np.cumsum([0, *sizes[:-1]]), sizes], np.int64).T
    whole = memoryview(b"".join(contents))
    texts = [PreparedText(content.decode("utf-8", "surrogatepass")) for content in contents]
    digests = np.array([text.digest for text in texts], DIGEST_TYPE)
    return Documents({"original": slots, "digest": digests}), partial(cut_slot, whole)
