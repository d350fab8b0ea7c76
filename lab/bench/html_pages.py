"""HTML: which reader finds the main text best, on pages with known main text.

Each text of `examples/corpus` is put into pages of six kinds, with the navigation, side columns,
related links, comments and footers that such pages have. Precision, recall and F1 are those of the
character 5-grams of what a reader took, mean over the pages.
"""

from __future__ import annotations

import collections
import html
import random
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

from lab.measuring import CHECKOUT
from lab.reporting import Cell, Table
from lab.trial import Trial
from simdup.corpus.decoding import decode
from simdup.corpus.html import extract_text

MENU = ("首页", "新闻", "财经", "体育", "娱乐", "科技", "汽车", "房产", "教育", "健康", "客户端")
HEADLINES = (
    "本市明日起降温 最低气温跌破五度 市民出行注意添衣",
    "新学期开学在即 各区学校准备就绪 家长关注三件事",
    "老街改造完成 沿街商铺重新开张 首日客流过万",
    "春运车票今日开售 热门线路几分钟售罄",
    "How a small library changed the way a town reads",
    "专家解读：为什么阳台上的绿植总是养不活",
)
COMMENTS = ("写得好，支持一下！", "沙发", "图呢？", "转走了，谢谢楼主分享", "去年也是这样")
FOOTER = (
    "版权所有 未经书面授权禁止复制或建立镜像",
    "京ICP备00000000号-1 | 互联网新闻信息服务许可证 00000000000",
    " | ".join(
        f"<a href=/{word}>{word}</a>" for word in ("关于我们", "广告服务", "联系方式", "网站地图")
    ),
)


def links(words: Any, chance: random.Random, tag: str = "li") -> str:
    listed = list(words)
    chance.shuffle(listed)
    return "".join(f'<{tag}><a href="/{n}.html">{w}</a></{tag}>' for n, w in enumerate(listed))


def paragraphs(text: str, tag: str = "p") -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "".join(f"<{tag}>{html.escape(line)}</{tag}>\n" for line in lines)


def news(text: str, chance: random.Random) -> str:
    return f"""<div class=top><ul>{links(MENU, chance)}</ul></div><div class=crumb>
    您的位置：<a href=/>首页</a> &gt; <a href=/n>新闻</a> &gt; 正文</div>
    <div class=article>{paragraphs(text)}</div><div>责任编辑：王某某</div>
    <div class=share>分享到：<a>微信</a> <a>微博</a></div>
    <div class=rel><h3>相关阅读</h3><ul>{links(HEADLINES, chance)}</ul></div>
    <div class=side><h3>热点排行</h3><ol>{links(HEADLINES, chance)}</ol></div>"""


def old_table(text: str, chance: random.Random) -> str:
    body = "<br><br>".join(html.escape(line) for line in text.splitlines() if line.strip())
    return f"""<table><tr>{links(MENU, chance, "td")}</tr></table>
    <table><tr><td><table>{links(HEADLINES, chance, "tr")}</table></td>
    <td><font size=2>{body}</font></td></tr></table>"""


def blog(text: str, chance: random.Random) -> str:
    talk = "".join(f"<div class=c><b>网友{n}</b><p>{c}</p></div>" for n, c in enumerate(COMMENTS))
    return f"""<header><h1>我的小站</h1><nav>{links(MENU[:6], chance)}</nav></header>
    <main><article>{paragraphs(text)}</article><section><h2>评论</h2>{talk}</section></main>
    <aside><h2>归档</h2><ul>{links(["2023年1月", "2023年2月", "2023年3月"], chance)}</ul></aside>"""


def manual(text: str, chance: random.Random) -> str:
    contents = [f"第 {n} 章 {word}" for n, word in enumerate(MENU, 1)]
    return f"""<div id=toc><ul>{links(contents, chance)}</ul></div>
    <div id=doc>{paragraphs(text, "div")}</div>
    <p>此页面有帮助吗？<button>是</button> <button>否</button></p>
    <p><a href=a>上一页</a> <a href=b>下一页</a></p>"""


def notice(text: str, chance: random.Random) -> str:
    return f"""<p>{" | ".join(f"<a href=#>{w}</a>" for w in MENU)}</p>
    <div><script>var a = "脚本里的文字不是正文";</script>
    <span>发布时间：2023-03-0{chance.randrange(1, 9)} 浏览次数：<i>12</i></span>
    {paragraphs(text)}</div><p>【打印本页】 【关闭窗口】</p>"""


def forum(text: str, chance: random.Random) -> str:
    return f"""<div>{links(MENU, chance, "span")}</div><div class=user>楼主 积分 1024 帖子 88</div>
    <div class=post>{paragraphs(text)}</div><div class=sign>本帖最后由 某人 编辑</div>
    {"".join(f"<div class=post>{c}</div>" for c in COMMENTS)}"""


KINDS = (news, old_table, blog, manual, notice, forum)


def run(trial: Trial) -> Iterator[Table]:
    """Read all pages with every reader."""
    made = list(_pages())[:: trial.pick(10, 1)]
    size = sum(len(page.encode()) for _, page in made) / 1e6
    rows: list[tuple[Cell, ...]] = []
    for name, reader in _readers().items():
        reader(made[0][1])
        started = time.perf_counter()
        got = [reader(page) for _, page in made]
        seconds = time.perf_counter() - started
        scores = [_score(text, taken) for (text, _), taken in zip(made, got, strict=True)]
        means = (sum(column) / len(made) for column in zip(*scores, strict=True))
        rows.append((name, *means, sum(not taken.strip() for taken in got), size / seconds))
    title = f"Main text of {len(made)} pages, {len(KINDS)} kinds"
    yield Table(title, ("reader", "precision", "recall", "F1", "empty", "MB/s"), rows)


def _pages() -> Iterator[tuple[str, str]]:
    """Yield (main text, page)."""
    chance = random.Random(11)
    footer = "".join(f"<p>{line}</p>" for line in FOOTER)
    head = "<!DOCTYPE html><html><head><meta charset=utf-8><title>页面</title></head>"
    for path in sorted((CHECKOUT / "examples" / "corpus").rglob("*.txt")):
        text = decode(path.read_bytes()).text
        if text.strip():
            for kind in KINDS:
                body = f"<body>{kind(text, chance)}<div class=footer>{footer}</div></body></html>"
                yield text, head + body


def _readers() -> dict[str, Callable[[str], str]]:
    """Return the readers that are installed."""
    found: dict[str, Callable[[str], str]] = {"all": lambda page: extract_text(page, "all")}
    if find_spec("justext"):
        found["main (justext)"] = lambda page: extract_text(page, "main")
    if find_spec("trafilatura"):
        import trafilatura

        found["trafilatura"] = lambda page: trafilatura.extract(page, include_comments=False) or ""
    return found


def _grams(text: str) -> collections.Counter[str]:
    compact = "".join(text.split())
    return collections.Counter(compact[i : i + 5] for i in range(max(1, len(compact) - 4)))


def _score(wanted: str, got: str) -> tuple[float, float, float]:
    a, b = _grams(wanted), _grams(got)
    both = (a & b).total()
    precision, recall = both / max(1, b.total()), both / max(1, a.total())
    return precision, recall, 2 * precision * recall / ((precision + recall) or 1)
