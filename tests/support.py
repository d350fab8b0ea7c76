"""Helpers that tests import: the command in a process of its own, and made-up texts."""

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import click
import hypothesis

from simdup.cli import _simdup
from simdup.features.shingles import Shingler, Shingles
from simdup.model.shingling import Shingling

ROOT = Path(__file__).resolve().parents[1]

# The pages that people read.
PAGES = [
    *sorted(ROOT.glob("README*.md")),
    ROOT / "CONTRIBUTING.md",
    ROOT / "examples" / "README.md",
    ROOT / "benchmarks" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]


class Ran(NamedTuple):
    """The result of a command."""

    status: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode("utf-8", "surrogateescape")

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()


Command = Callable[..., Ran]

# A thorough run tries this many times as many random corpora and examples.
ROUNDS = int(os.environ.get("SIMDUP_ROUNDS", "1"))


def seeds(count: int) -> range:
    """Seeds of random corpora."""
    return range(count * ROUNDS)


def examples(count: int) -> hypothesis.settings:
    """Settings of a property that needs another number of examples than most."""
    return hypothesis.settings(max_examples=count * ROUNDS)


def environment(**changes: str) -> dict[str, str]:
    """The environment of a process that runs this checkout, from any folder."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    left_out = ("NO_COLOR", "FORCE_COLOR", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE")
    kept = {k: v for k, v in os.environ.items() if k not in left_out}
    return kept | {"PYTHONPATH": path, "PYTHONUTF8": "1", "LC_ALL": "C.UTF-8"} | changes


def command(*arguments: str | bytes | Path) -> list[str | bytes | Path]:
    """The command line for a separate process."""
    return [sys.executable, "-m", "simdup", *arguments]


def process(
    *arguments: str | bytes | Path,
    stdin: bytes = b"",
    cwd: Path | None = None,
    **changes: str,
) -> Ran:
    """Run the command in a separate process."""
    done = subprocess.run(
        command(*arguments),
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env=environment(**changes),
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr.decode())


def commands() -> dict[str, click.Command]:
    """Every command that does something, by what people type, such as ``index build``."""

    def below(group: click.Group, path: tuple[str, ...]) -> Iterator[tuple[str, click.Command]]:
        context = click.Context(group)
        for name in group.list_commands(context):
            found = group.get_command(context, name)
            if isinstance(found, click.Group):
                yield from below(found, (*path, name))
            elif found is not None:
                yield " ".join((*path, name)), found

    return dict(below(_simdup, ()))


def write(folder: Path, texts: dict[str, str]) -> Path:
    """Write texts as files of a folder."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder


@cache
def simplified_characters() -> dict[int, int]:
    """The project's table of traditional and simplified characters."""
    content = (resources.files("simdup.features") / "simplified.txt").read_text("utf-8")
    traditional, simplified = (line for line in content.splitlines() if line[0] != "#")
    return {ord(t): ord(s) for t, s in zip(traditional, simplified, strict=True)}


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


def shingles(text: str, n: int = 5) -> Shingles:
    """The distinct runs of n characters of a folded text without white space."""
    return Shingler(Shingling(n)).shingles(text)
