"""Web pages with known main text: navigation, side columns, comments and footers around it."""

from __future__ import annotations

import html
import random
from collections.abc import Iterable, Iterator
from pathlib import Path

from simdup.corpus.decoding import decode

_EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "corpus"

MENU = ("首页", "新闻", "财经", "体育", "娱乐", "科技", "汽车", "房产", "教育", "健康", "客户端")
MONTHS = ("2023年1月", "2023年2月", "2023年3月")
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


def _links(words: Iterable[str], chance: random.Random, tag: str = "li") -> str:
    listed = list(words)
    chance.shuffle(listed)
    return "".join(f'<{tag}><a href="/{n}.html">{w}</a></{tag}>' for n, w in enumerate(listed))


def _paragraphs(text: str, tag: str = "p") -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "".join(f"<{tag}>{html.escape(line)}</{tag}>\n" for line in lines)


def _news(text: str, chance: random.Random) -> str:
    return f"""<div class=top><ul>{_links(MENU, chance)}</ul></div><div class=crumb>
    您的位置：<a href=/>首页</a> &gt; <a href=/n>新闻</a> &gt; 正文</div>
    <div class=article>{_paragraphs(text)}</div><div>责任编辑：王某某</div>
    <div class=share>分享到：<a>微信</a> <a>微博</a></div>
    <div class=rel><h3>相关阅读</h3><ul>{_links(HEADLINES, chance)}</ul></div>
    <div class=side><h3>热点排行</h3><ol>{_links(HEADLINES, chance)}</ol></div>"""


def _old_table(text: str, chance: random.Random) -> str:
    body = "<br><br>".join(html.escape(line) for line in text.splitlines() if line.strip())
    return f"""<table><tr>{_links(MENU, chance, "td")}</tr></table>
    <table><tr><td><table>{_links(HEADLINES, chance, "tr")}</table></td>
    <td><font size=2>{body}</font></td></tr></table>"""


def _blog(text: str, chance: random.Random) -> str:
    talk = "".join(f"<div class=c><b>网友{n}</b><p>{c}</p></div>" for n, c in enumerate(COMMENTS))
    return f"""<header><h1>我的小站</h1><nav>{_links(MENU[:6], chance)}</nav></header>
    <main><article>{_paragraphs(text)}</article><section><h2>评论</h2>{talk}</section></main>
    <aside><h2>归档</h2><ul>{_links(MONTHS, chance)}</ul></aside>"""


def _manual(text: str, chance: random.Random) -> str:
    contents = [f"第 {n} 章 {word}" for n, word in enumerate(MENU, 1)]
    return f"""<div id=toc><ul>{_links(contents, chance)}</ul></div>
    <div id=doc>{_paragraphs(text, "div")}</div>
    <p>此页面有帮助吗？<button>是</button> <button>否</button></p>
    <p><a href=a>上一页</a> <a href=b>下一页</a></p>"""


def _notice(text: str, chance: random.Random) -> str:
    return f"""<p>{" | ".join(f"<a href=#>{w}</a>" for w in MENU)}</p>
    <div><script>var a = "脚本里的文字不是正文";</script>
    <span>发布时间：2023-03-0{chance.randrange(1, 9)} 浏览次数：<i>12</i></span>
    {_paragraphs(text)}</div><p>【打印本页】 【关闭窗口】</p>"""


def _forum(text: str, chance: random.Random) -> str:
    return f"""<div>{_links(MENU, chance, "span")}</div><div class=user>楼主 积分 1024 帖子 88</div>
    <div class=post>{_paragraphs(text)}</div><div class=sign>本帖最后由 某人 编辑</div>
    {"".join(f"<div class=post>{c}</div>" for c in COMMENTS)}"""


KINDS = (_news, _old_table, _blog, _manual, _notice, _forum)


def pages() -> Iterator[tuple[str, str]]:
    """Yield (main text, page) of each example in each kind of page."""
    chance = random.Random(11)
    footer = "".join(f"<p>{line}</p>" for line in FOOTER)
    head = "<!DOCTYPE html><html><head><meta charset=utf-8><title>页面</title></head>"
    for path in sorted(_EXAMPLES.rglob("*.txt")):
        text = decode(path.read_bytes()).text
        if text.strip():
            for kind in KINDS:
                body = f"<body>{kind(text, chance)}<div class=footer>{footer}</div></body></html>"
                yield text, head + body
