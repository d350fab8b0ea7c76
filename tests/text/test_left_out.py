"""The parts of a text that do not count: recognised by headings and form, and by nothing less."""

import re
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import seconds

from lab.corpora.made import prose
from simdup.model.shared_passages import PARTS
from simdup.text.left_out import left_out

# A text shows its parts as ⟦r:...⟧, each by the first letter of its kind.
_MARK = re.compile("⟦[rq]:|⟧")
SENTENCE = "下面是一句很普通的话。"


def found_in(marked: str) -> str:
    """A text without its marks, with those of the parts that are found in it."""
    text = _MARK.sub("", marked)
    for part in reversed(left_out(text)):
        inside = text[part.start : part.end]
        text = f"{text[: part.start]}⟦{part.kind[0]}:{inside}⟧{text[part.end :]}"
    return text


CHINESE = """某某大学硕士学位论文
面向课程作业的文本复用检测研究

学位论文原创性声明
本人郑重声明：所呈交的学位论文，是本人在导师指导下独立进行研究工作所取得的成果。
除文中已经注明引用的内容外，本论文不包含任何其他个人已经发表的成果。
学位论文作者签名：            日期：     年   月   日
学位论文版权使用授权书
本学位论文作者完全了解学校有关保留、使用学位论文的规定，同意学校保留论文的复印件。
保密□，在____年解密后适用本授权书。
作者签名：            导师签名：
日期：     年   月   日
摘  要
本文研究课程作业中的文本复用。“复用”一词在文献中有多种含义，参考文献的写法也各不相同。
关键词：复用；检测
目  录
摘  要	I
第一章  绪论	1
1.1  研究背景	1
1.2  研究意义	3
第二章  相关工作	7
参考文献	45
致  谢	47
图目录
图 1.1  系统结构	5
图 2.1  流程	9
第一章  绪论
1.1  研究背景
课程作业的规模逐年扩大，见参考文献[3]。张三在《文本》中指出：⟦q:“文本复用是写作的常态，而不是例外。”⟧这一看法影响很大。
有人说：“天下文章一大抄。”这句话流传很广，但没有人知道是谁先说的。
王五认为，⟦q:“检测不是目的，教育才是。”⟧
教育部的通知写得很清楚，⟦q:“各高校应当建立学术诚信制度”[5]⟧，各校随后跟进。
⟦q:“引用不等于抄袭”（李四，2018）⟧，这是底线。所谓“底线”，因校而异。
第二章  相关工作
第二章主要介绍相关工作。2019年以来，这一领域发展很快。
⟦r:参考文献
[1] 张三. 文本复用研究[J]. 情报学报, 2019, 38(2): 1-9.
[2] Smith J, Brown K. Text reuse in the classroom and what to
do about it[M]. London: Press, 2018: 12-19.
[3] 国家标准化管理委员会. 参考文献著录规则: GB/T 7714—2015[S]. 北京: 中国标准出版社, 2015.
[4] 某某网. 学术规范[EB/OL]. (2020-01-02)[2021-03-04]. https://example.com/a.⟧
附录A  调查问卷
一、您的年级是什么？
致  谢
感谢导师。
"""

ENGLISH = """Text Reuse in Student Essays
A thesis submitted by Jane Doe

Declaration of Originality

I hereby declare that this thesis is my own work and that it contains no material
previously published or written by another person, except where due reference is made.

Signed: ____________________   Date: ____________

Table of Contents

Abstract ........................................ ii
1 Introduction .................................. 1
1.1 Background and the long history of the
    reuse of texts ............................ 2
2 Related Work .................................. 8
References ...................................... 40

List of Figures

Figure 1: The architecture ...................... 5

1 Introduction

Reuse is everywhere. As Smith (2019) argues, ⟦q:"text reuse is the rule and not
the exception in student writing."⟧ Others disagree. He said "no" to that.
The word "reuse" is used in several ways. ⟦q:"Copying is how we learn to write"
(Jones, 2017, p. 12)⟧, and nobody doubts it. The references are at the end.

According to Brown, ⟦q:“a quotation without its source is a copy.”⟧ We follow him.

Miller (2016) puts it in these words:

    ⟦q:A quotation is a debt that is acknowledged, and a copy is one that is not;
    both are paid by somebody else.⟧

2 Related Work

Work on reuse began in 1995.

⟦r:References

Brown, K. (2015). Debts and quotations. Journal of Writing, 12(3), 1-20.
    https://doi.org/10.1000/xyz
Jones, A. (2017). Learning to copy. London: Press.
Smith, J., & Doe, J. (2019). The rule of reuse. In Proceedings of the
    Conference on Reuse (pp. 12-19). Springer.⟧

Appendix A: Questionnaire

How often do you copy?

Acknowledgements

I thank my parents.
"""

MARKDOWN = """# 文本复用

## 目录

- [绪论](#绪论)
- [方法](#方法)
- [参考文献](#参考文献)

## 绪论

鲁迅在《拿来主义》中写道：

⟦q:> 没有拿来的，人不能自成为新人，
> 没有拿来的，文艺不能自成为新文艺。⟧

这句话常被引用。下面的话没有出处：

> 天下文章一大抄，看你会抄不会抄。

⟦q:“写作就是重写。”[^1]⟧ 而“重写”不是抄写。

⟦r:## **参考文献**

1. 鲁迅. 且介亭杂文[M]. 北京: 人民文学出版社, 1973.
2. Smith J. *Reuse*. Press, 2019.⟧

## 方法

正文继续。

⟦r:### 本章参考文献

- 王五. 检测方法[J]. 学报, 2020(1): 3-4.⟧
"""

LATEX = r"""\documentclass{book}
\begin{document}
\tableofcontents
\chapter{Introduction}
Knuth says it well:
⟦q:\begin{quote}
Premature optimization is the root of all evil.
\end{quote}⟧
and so it is. Also ⟦q:``weeds of the mind are copied'' \cite{knuth74}⟧, and the ``rest'' is silence.
⟦r:\begin{thebibliography}{99}
\bibitem{knuth74} D. Knuth. Structured programming with go to statements. 1974.
\bibitem{lamport} L. Lamport. LaTeX.
\end{thebibliography}⟧
\appendix
\chapter{Data}
Nothing here.
\end{document}
"""

TRADITIONAL = """原創性聲明
本人聲明所呈交之論文為本人獨立完成。
簽名：          日期：
目 錄
第一章 緒論 ......................... 1
參考文獻 ........................... 30
第一章 緒論
胡適認為：⟦q:「大膽假設，小心求證」⟧，此說流傳甚廣。所謂「流傳」，是說很多人知道。
⟦r:參考文獻
胡適（1919）。《中國哲學史大綱》。上海：商務印書館。
錢穆（1940）。《國史大綱》。上海：商務印書館。⟧
"""


@pytest.mark.parametrize("marked", [CHINESE, ENGLISH, MARKDOWN, LATEX, TRADITIONAL])
def test_the_parts_of_a_thesis_are_found(marked: str) -> None:
    assert found_in(marked) == marked


@pytest.mark.parametrize("end", ["\n", "\n\n"])
@pytest.mark.parametrize("head", ["- {} -", "某某大学硕士学位论文", "Page {} of 40"])
def test_a_quotation_goes_on_over_the_edge_of_a_page(end: str, head: str) -> None:
    bodies = [prose(n, 200) for n in range(6)]
    quoted = f"张三（2019）指出，⟦q:“复用是写作{end}⟧{head}⟦q:\f{end}的常态，而不是例外。”⟧"
    marked = "".join(body + quoted.format(n) for n, body in enumerate(bodies, 1))
    assert found_in(marked) == marked


PIECES = [
    "参考文献",
    "References",
    "[1] 张三. 文[J]. 刊, 2019.",
    "写道：",
    "“",
    "”",
    '"',
    "[12]",
    "（李四，2018）",
    "> ",
    "    ",
    "\n",
    "\n\n",
    "\r\n",
    "\f",
    "\u2028",
    "- 3 -",
    "某大学",
    "1",
    "\t",
    "第一章 绪论",
    "# ",
    "\\begin{quote}",
    "\\end{quote}",
    "正文。",
    "text ",
    "ﬁ",
    "𠀀",
    "\u3000\u3000",
]


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_parts_are_in_order_and_do_not_overlap(text: str) -> None:
    found = left_out(text)
    places = [place for part in found for place in (part.start, part.end)]
    assert places == sorted(places)
    assert all(part.start < part.end <= len(text) for part in found)
    for kind in PARTS:
        assert left_out(text, [kind]) == [part for part in found if part.kind == kind]
    assert left_out(text, []) == []


@pytest.mark.parametrize(
    "piece",
    [
        "“",
        "“a”",
        "“a”[1",
        '"a" ',
        "> a\n“b”\n",
        "参考文献\n",
        "\f1\n",
        "张三写道：\n",
        "[",
        "”（",
        "\\begin{quote}\n",
        "     a\nb\n",
        " ",
        "\n",
        f"有人{'常' * 90}x说：“a”\n",
        f"他{'在' * 90}，说：“a”\n",
        f"{'有' * 90}学者x说：“a”\n",
        f"some {'In A ' * 20}say “a”\n",
    ],
)
def test_time_grows_with_the_text_only(piece: str) -> None:
    short, long = (
        seconds(partial(left_out, piece * (size // len(piece)))) for size in (5000, 40_000)
    )
    assert long < 0.02 + 24 * short


@pytest.mark.parametrize(
    "marked",
    [
        "⟦r:[1] 张三. 文本复用研究[J]. 情报学报, 2019, 38(2): 1-9.⟧\n下面是正文。",
        f"⟦r:[1] 张三. 复用[J]. 学报, 2019(1): 1-9.⟧\n{SENTENCE}\n{SENTENCE}",
        "下面是正文。\n⟦r:[1] 张三. 文本复用研究[J]. 情报学报, 2019, 38(2): 1-9.⟧",
    ],
)
def test_a_text_may_begin_or_end_with_a_part(marked: str) -> None:
    assert found_in(marked) == marked


@pytest.mark.parametrize(
    "text",
    [
        "参考文献很多，见下文。\n[1] 是第一条。",
        "见参考文献[1]。\n参考文献 45\n正文",
        "所谓“复用”，见下文。",
        "有人说：“天下文章一大抄。”",
        "人们常说，“天下文章一大抄”。",
        "本文认为：“复用是常见的。”",
        'Some say "all texts are copies of others".',
        'He said "no" and left.',
        "阅览室里有人说：“天下文章一大抄。”",
        "一位经常来的读者说：“天下文章一大抄。”",
        "有研究者认为，“天下文章一大抄”。",
        "有的同学在问卷中写道：“天下文章一大抄。”",
        "问卷中提到“天下文章一大抄”的人最多。",
        "据有关人士称，“天下文章一大抄”。",
        "“天下文章一大抄”，有人说。",
        "Critics argue that “all texts are copies of others”.",
        'In China, some say that "all texts are copies of others".',
        "People in Europe said, “all texts are copies of others”.",
        "According to one reader, “all texts are copies of others”.",
        "> 天下文章一大抄，看你会抄不会抄。",
        "攻读学位期间发表的论文\n[1] 张三. 一篇文章[J]. 学报, 2019(1): 1-9.",
        "    缩进的一段，没有出处。\n\n正文。",
        "“天下文章一大抄。”（我最喜欢《荀子》这本书）",
        "“天下文章一大抄。”（笑）",
        "读完《荀子》，班里要求：“天下文章一大抄。”",
        "学校规定：“天下文章一大抄。”",
        "公式“面积为 10 m²”和“数组 a[2]”很常见。",
        "Smith (2019) was a teacher. “Reuse is the rule”, one hears.",
        "论法律的实施\n——读《法治及其本土资源》",
        "论法律的实施\n——《法治及其本土资源》",
        "天下文章一大抄。\n——以《民法典》为例",
        "天下文章一大抄。\n——评《民法典》",
    ],
)
def test_what_only_looks_like_a_part_is_none(text: str) -> None:
    assert left_out(f"{SENTENCE}\n{text}\n{SENTENCE}") == []


@pytest.mark.parametrize(
    "quoted",
    [
        "张三（2019）指出，⟦q:“复用是写作的常态”⟧。",
        "⟦q:“复用是写作的常态。”①⟧其次，",
        "⟦q:“不登高山，不知天之高也。”（《荀子·劝学》）⟧",
        "⟦q:“不登高山，不知天之高也”（荀子《劝学》）⟧。",
        "⟦q:“不登高山，不知天之高也。”(见《荀子》第一篇，中华书局)⟧",
        "⟦q:“家庭应当树立优良家风”（《民法典》第一千零四十三条）⟧。",
        "《民法典》第一千零四十三条规定：⟦q:“家庭应当树立优良家风。”⟧",
        "《中华人民共和国教育法》第三条第一款明确规定，⟦q:“国家坚持这一方针”⟧。",
        "《史记》中记载：⟦q:“项籍少时，学书不成。”⟧",
        "《劝学》里有这样一句话：⟦q:“不登高山，不知天之高也。”⟧",
        "依照《民法典》第一千零四十三条，⟦q:“家庭应当树立优良家风”⟧。",
        "⟦q:“不登高山，不知天之高也。[2]”⟧",
        "⟦q:“不登高山，不知天之高也①。”⟧",
        "据张三所述，⟦q:『复用是常态』⟧。",
        "⟦q:“复用是写作的常态”\\cite{a}⟧，",
        "⟦q:“复用是写作的常态”³⟧。",
        "⟦q:“复用是常态”（张三，2019）⟧。",
        "According to Smith, ⟦q:“reuse is the rule”⟧.",
        "According to Smith et al., ⟦q:“reuse is the rule”⟧.",
        "有研究者认为，⟦q:“复用是常态”[3]⟧。",
        "张三等学者认为，⟦q:“复用是常态”⟧。",
        "学者张三在一些学生的作业中写道：⟦q:“复用是常态。”⟧",
        "李有才老师说：⟦q:“复用是常态。”⟧",
        "Many critics, such as Smith, argue that ⟦q:“reuse is the rule”⟧.",
        "Smith and other researchers argue that ⟦q:“reuse is the rule”⟧.",
        '⟦q:"Reuse is the rule"⟧, Smith writes.',
        '⟦q:"Reuse is the rule" (Smith & Doe, 2019, p. 3)⟧.',
        '⟦q:"Reuse is the rule" [@smith2019]⟧.',
        "⟦q:«Reuse is the rule»[3]⟧.",
        "As Smith (2019) says of Doe et al.: ⟦q:“reuse is the rule”⟧.",
        "Smith argues that ⟦q:‘reuse isn’t the rule’⟧.",
        "⟦q:“复用“是”常态”[3]⟧，其次。",
    ],
)
def test_a_quotation_names_its_source_in_many_ways(quoted: str) -> None:
    assert found_in(f"{SENTENCE}{quoted}{SENTENCE}") == f"{SENTENCE}{quoted}{SENTENCE}"


@pytest.mark.parametrize(
    "block",
    [
        "⟦q:不登高山，不知天之高也。\n——《荀子·劝学》⟧",
        "\n⟦q:不登高山，不知天之高也。\n\n——荀子《劝学》⟧\n",
        "⟦q:不登高山，\n不知天之高也。\n　　——《荀子·劝学》⟧",
    ],
)
def test_a_title_below_a_quotation_names_its_source(block: str) -> None:
    assert found_in(f"{SENTENCE}\n{block}\n{SENTENCE}") == f"{SENTENCE}\n{block}\n{SENTENCE}"


@pytest.mark.parametrize(
    "marked",
    [
        f"{SENTENCE}\n\n⟦q:> 复用是常态。⟧\n\n——张三\n\n{SENTENCE}\n",
        f"{SENTENCE}\n\n⟦q:> 复用是常态。⟧\n——张三\n\n{SENTENCE}\n",
        f"> 复用是常态。\n\n{SENTENCE}\n——张三\n",
        f"⟦q:“复用‘是’常态”[3]⟧，其次。{SENTENCE}",
    ],
)
def test_a_quotation_may_begin_a_text_or_a_source_be_the_line_below(marked: str) -> None:
    assert found_in(marked) == marked


@pytest.mark.parametrize("heading", ["# 英文文献", "第三章 相关文献"])
def test_a_heading_without_entries_ends_a_list(heading: str) -> None:
    entries = "[1] 张三. 复用[J]. 学报, 2019(1): 1-9.\n[2] 李四. 检测[J]. 学报, 2020(1): 1-9."
    marked = f"{SENTENCE}\n⟦r:参考文献\n{entries}⟧\n{heading}"
    assert found_in(marked) == marked
