"""What theses say: sentences, references, statements of originality, lines that look like parts."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping

from lab.corpora.facts import CHINESE, ENGLISH
from lab.corpora.manuals import grammar, words

Chance = random.Random

# How an entry of a list of references is written.
GBT, APA, IEEE, PLAIN = "GB/T 7714", "APA", "IEEE", "plain"


def word(language: str, name: str, chance: Chance) -> str:
    """Return some word of a section of the grammar of theses."""
    chosen = [chance.choice(line) for line in words(f"thesis.{language}", name)]
    return ("" if language == CHINESE else " ").join(chosen)


def _filled(section: str, language: str, chance: Chance) -> str:
    def fill(name: re.Match[str]) -> str:
        if name[1] in "np":
            return str(chance.randint(11, 96 if name[1] == "p" else 2400))
        filling = word(language, name[1], chance)
        return filling.lower() if name.start() and language == ENGLISH else filling

    pattern = chance.choice(grammar(f"thesis.{language}")[section])
    text = re.sub(r"\{(\w+)\}", fill, pattern)
    return text[0].upper() + text[1:]


def sentence(language: str, chance: Chance) -> str:
    """Return a sentence; two of them share few words."""
    return _filled("sentence", language, chance)


def sentences(language: str, count: int, chance: Chance) -> list[str]:
    """Return some sentences."""
    return [sentence(language, chance) for _ in range(count)]


def heading(language: str, chance: Chance) -> str:
    """Return the heading of a section."""
    text = _filled("heading", language, chance)
    return text if language == CHINESE else re.sub(r"\b[a-z]", lambda one: one[0].upper(), text)


def joined(texts: list[str], language: str) -> str:
    """Return sentences as a paragraph."""
    return ("" if language == CHINESE else " ").join(texts)


def title(language: str, chance: Chance) -> str:
    """Return the title of a thesis or of a work that it names."""
    topic, thing, way = (word(language, name, chance) for name in ("topic", "object", "method"))
    if language == CHINESE:
        ways = (f"{topic}对{thing}的影响研究", f"基于{way}的{topic}研究", f"{topic}与{thing}",
                f"{thing}视角下的{topic}")  # fmt: skip
        return chance.choice(ways)
    text = chance.choice((f"{topic} and {thing}", f"how {topic} shapes {thing}",
                          f"{thing} in {topic}: a study with {way}"))  # fmt: skip
    return text[0].upper() + text[1:]


def author(language: str, chance: Chance) -> str:
    """Return a family name and a given name."""
    family, given = word(language, "family", chance), word(language, "given", chance)
    return family + given if language == CHINESE else f"{given} {family}"


# -- references --


def _gbt(chance: Chance) -> str:
    year, pages = chance.randint(1996, 2024), chance.randint(3, 180)
    if chance.random() < 0.2:
        names = f"{word(ENGLISH, 'family', chance)} {chance.choice('ABCDEJKLM')}"
        journal = word(ENGLISH, "journal", chance)
        return (f"{names}, {word(ENGLISH, 'family', chance)} {chance.choice('PRST')}. "
                f"{title(ENGLISH, chance)}[J]. {journal}, {year}, {pages % 40 + 1}"
                f"({pages % 6 + 1}): {pages}-{pages + 9}.")  # fmt: skip
    names = ", ".join(author(CHINESE, chance) for _ in range(chance.randint(1, 3)))
    names += chance.choice(("", "", ", 等"))
    work, press = title(CHINESE, chance), word(CHINESE, "press", chance)
    journal, school = word(CHINESE, "journal", chance), word(CHINESE, "school", chance)
    ways = (
        (
            f"{names}. {work}[J]. {journal}, {year}, {pages % 40 + 1}({pages % 6 + 1}): "
            f"{pages}-{pages + 7}."
        ),
        f"{names}. {work}[J]. {journal}, {year}({pages % 12 + 1}): {pages}-{pages + 5}.",
        f"{names}. {work}[M]. {press}, {year}: {pages}.",
        f"{names}. {work}[D]. {school}, {year}.",
        (
            f"{names}. {work}[EB/OL]. ({year}-03-1{pages % 9})[2024-05-0{pages % 8 + 1}]. "
            f"https://www.example.org/{year}/{pages}.html."
        ),
    )
    return chance.choice(ways)


def _apa(chance: Chance) -> str:
    year, pages = chance.randint(1996, 2024), chance.randint(3, 480)
    names = [f"{word(ENGLISH, 'family', chance)}, {chance.choice('ABCDEFGHJKLM')}."
             for _ in range(chance.randint(1, 3))]  # fmt: skip
    listed = ", ".join(names[:-1]) + f", & {names[-1]}" if len(names) > 1 else names[0]
    work = f"{listed} ({year}). {title(ENGLISH, chance)}. "
    if chance.random() < 0.3:
        return work + f"{word(ENGLISH, 'press', chance)}."
    tail = f" https://doi.org/10.1234/{pages}.{year}" if chance.random() < 0.5 else ""
    return work + (f"{word(ENGLISH, 'journal', chance)}, {pages % 50 + 1}({pages % 4 + 1}), "
                   f"{pages}–{pages + 14}.{tail}")  # fmt: skip


def _ieee(chance: Chance) -> str:
    year, pages = chance.randint(1996, 2024), chance.randint(3, 480)
    names = " and ".join(f"{chance.choice('ABCDEFGHJKLM')}. {word(ENGLISH, 'family', chance)}"
                         for _ in range(chance.randint(1, 2)))  # fmt: skip
    return (f"{names}, “{title(ENGLISH, chance)},” {word(ENGLISH, 'journal', chance)}, "
            f"vol. {pages % 50 + 1}, no. {pages % 4 + 1}, pp. {pages}–{pages + 11}, "
            f"{year}.")  # fmt: skip


def _plain(chance: Chance) -> str:
    year, pages = chance.randint(1996, 2024), chance.randint(3, 480)
    names = " and ".join(author(ENGLISH, chance) for _ in range(chance.randint(1, 2)))
    work = f"{names}. {title(ENGLISH, chance)}. "
    if chance.random() < 0.3:
        return work + f"PhD thesis, {word(ENGLISH, 'school', chance)}, {year}."
    return (
        work + f"{word(ENGLISH, 'journal', chance)}, {pages % 50 + 1}:{pages}–{pages + 8}, {year}."
    )


ENTRIES: Mapping[str, Callable[[Chance], str]] = {
    GBT: _gbt, APA: _apa, IEEE: _ieee, PLAIN: _plain,
}  # fmt: skip

# -- statements --

# A heading, paragraphs and lines to sign.  The last of each language is in no source.
STATEMENTS = {
    CHINESE: (
        (
            ("学位论文原创性声明", (
                ("本人郑重声明：所呈交的学位论文，是本人在指导教师的指导下独立开展研究工作所完成的。"
                "除文中已经标明出处的内容以外，本论文不含任何他人或集体已经公开的成果。"
                "凡为本项研究提供过帮助的个人和单位，均已在文中写明。由此产生的后果由本人承担。"),
            ), ("学位论文作者签名：            日期：    年    月    日",)),
            ("学位论文版权使用授权书", (
                ("本学位论文作者清楚学校对论文的保存与使用办法，同意学校留存并向主管机构报送论文的纸质本和"
                "电子本，准许论文被查阅与借阅。学校可把论文的全部或一部分收进数据库供检索，并可采用影印、"
                "扫描等方式保存和汇编。"),
                "本论文属于：保密□，在____年解密后适用本授权书；不保密□。（请在方框内打“√”）",
            ), ("作者签名：                导师签名：",
                "日期：    年  月  日      日期：    年  月  日")),
        ),
        (
            ("独 创 性 声 明", (
                ("我声明所提交的论文是我个人在导师指导下进行的研究工作及取得的成果。据我所知，除了"
                "特别加以标注和致谢之处，论文中没有他人已经发表或撰写过的内容，也没有为取得其他"
                "教育机构的学位而使用过的材料。与我共事的同志所作的贡献都已在论文中说明并致谢。"),
            ), ("签名：__________　　日期：__________",)),
            ("关于论文使用授权的说明", (
                ("我完全清楚学校有关留存、使用论文的规定，即：学校有权留下论文的复印件，允许论文被查阅；"
                "学校可以公布论文的全部或主要内容，可以用缩印或其他手段保存论文。（涉密论文解密后照此办理）"),
            ), ("签名：________　导师签名：________　日期：________",)),
        ),
        (
            ("诚信承诺书", (
                ("我承诺：毕业论文从选题、开题到定稿均由我自己完成，数据真实，引用他人之处都作了注明，"
                "不存在抄袭、代写、买卖论文或者篡改数据的行为。若有不实，愿意按学校的规定接受处理。"),
            ), ("承诺人（手写）：", "        年    月    日")),
        ),
    ),
    ENGLISH: (
        (
            ("Declaration of Originality", (
                ("I hereby declare that this thesis is my own work and that, to the best of my "
                "knowledge, it holds no material that another person has published or written "
                "before, except where the text gives due credit. It has not been submitted, in "
                "whole or in part, for any other degree at this or any other institution."),
            ), ("Signed: ______________________", "Date: ______________________")),
            ("Permission to Copy", (
                ("I agree that the library may lend this thesis and copy it for scholars who ask "
                "for it, and that it may be kept in the digital archive of the university, subject "
                "to the law of copyright and to any period of restriction that was granted."),
            ), ("Signature: .................... Date: ....................",)),
        ),
        (
            ("DECLARATION", (
                ("The work described here was carried out by the author between the start of the "
                "course and the date below, under the guidance of the supervisors named on the "
                "title page. Where the work of others was used, the source is named. No part was "
                "written by a third party or for payment."),
            ), ("(Signature of candidate)", "Place and date:")),
        ),
        (
            ("Statement of Authorship", (
                ("This dissertation results from my own labour. Every idea, figure and phrase that "
                "I owe to somebody else carries a note of where it came from, and I know the rules "
                "of the school about plagiarism and what follows when they are broken."),
            ), ("Name:", "Date:")),
        ),
    ),
}  # fmt: skip

# -- lines that look like a part, and belong to none --

DECOYS = {
    CHINESE: (
        ("为便于核对，操作分为以下几步：", "[1] 收集原始记录，2019年以前的单独存放；",
         "[2] 清洗数据，删除重复行；",
         "[3] 导入平台，2021年起改用新接口。"),
        ("“你把参考文献交了吗？”导师问。", "“还没有，”学生答道，“目录也没排好。”",
         "“那今晚就补上。”"),
        ("系统只统计参考文献的数量，不比较其内容；参考文献",
         "的格式由另一模块检查，目录和声明也在那里处理。"),
        ("def merge(left, right):", "    # references stay where they are",
         "    items = {**left, **right}",
         "    return [items[key] for key in sorted(items)]"),
        ("表 3-2 各组得分", "组别    人数    均值    标准差", "甲组    31      4.12    0.83",
         "乙组    29      3.97    0.91", "丙组    34      4.45    0.77"),
        ("耗材单价如下：", "滤纸 ............ 12", "试管 ............ 35", "标签 ............ 8"),
        ("访谈提纲的第四题是：“您怎么看待‘最后一公里’？”多数人的回答是“没想过”。",),
    ),
    ENGLISH: (
        ("The steps were these:", "[1] Collect the records, those before 2019 apart.",
         "[2] Remove rows that occur twice.",
         "[3] Load the rest (Miller, who built the tool, helped)."),
        ("“Did you hand in the references?” she asked.", "“Not yet,” he said, “nor the contents.”",
         "“Then do it tonight.”"),
        ("The tool counts references but does not compare them, and",
         "references in footnotes are not counted at all."),
        ("def merge(left, right):", "    # references stay where they are",
         "    items = {**left, **right}",
         "    return [items[key] for key in sorted(items)]"),
        ("Table 3.2: Scores by group", "group    n     mean    sd", "first    31    4.12    0.83",
         "second   29    3.97    0.91", "third    34    4.45    0.77"),
        ("Prices of supplies:", "filters ............ 12", "tubes .............. 35",
         "labels ............. 8"),
        ("Asked about “the last mile”, most people answered “no idea” or “why ask me?”.",),
    ),
}  # fmt: skip
# Headings of sections that are not what they seem.
DECOY_HEADINGS = {
    CHINESE: ("参考文献的自动识别", "变量声明与目录结构", "引文与参考文献的统计"),
    ENGLISH: ("References in Legal Texts", "Declaration of Variables", "Contents of the Archive"),
}
