"""What a Chinese user reads, word for word: the reports of the examples."""

import re
import shutil
from pathlib import Path

import pytest
from support import ROOT, Command

# What is printed, then the report; times are left out.
REPORTS = {
    "scan 语料/notices": """\
  角色       距离   相似度  文档
聚类 1：3 篇文档
  保留                      语料/notices/water-notice-utf16.txt
  冗余          0   1.0000  语料/notices/停水通知-旧电脑.txt
  冗余          0   1.0000  语料/notices/停水通知.txt

聚类 2：3 篇文档
  保留                      语料/notices/宿舍管理规定-2021.txt
  冗余          0   0.9035  语料/notices/宿舍管理规定-2022.txt
  冗余          0   0.8519  语料/notices/宿舍管理规定-2023.txt
读取 10 篇文档，用时 0.0 秒。
找到 2 个聚类，其中 4 篇冗余文档（保留：每个聚类的第一篇）。
核对候选 5 对，确认 5 对（相似度不低于 0.8）。
候选由 simhash 提出 5 对，由 MinHash 提出 5 对。
""",
    "compare 语料/notices/宿舍管理规定-2021.txt 语料/notices/宿舍管理规定-2022.txt": """\
近似重复：相似度为 0.9035，要求不低于 0.8；扫描时按 simhash 和 MinHash 能找到这一对。

  a  语料/notices/宿舍管理规定-2021.txt
  b  语料/notices/宿舍管理规定-2022.txt

  汉明距离      64 位中有 0 位不同
  simhash       ====  （4 个分段中有 4 个相同）
  MinHash       ==.===.....==.==.=  （18 个分段中有 10 个相同）
  相似度        0.9035  （连续 5 个字符的片段中，两篇共有的比例）
  指纹          49e10a0ac39198ea  49e10a0ac39198ea
  关键信息      4 处不同：第一 / 第二，两周 / 三周，晚上十点半 / 晚上十一点，\
2021年9月1日 / 2022年9月1日
  IDF           builtin（jieba 自带的词频表）
                扫描 200 篇以上时，改用这批文档自己的 IDF，见 --idf-from
  差异          5 处（--diff 显示全部），第一处：
                学生宿舍管理规定（[-第一版-]{+第二版+}） 第一条 为了维护宿舍…

  1 段雷同：占 a 的 95%，占 b 的 95%
    515 单位，位于 11-557 和 11-557，相似度 0.9942：
      版） 第一条 为了维护宿舍秩序，保 ... 本规定由宿舍管理中心负责解释，自

  权重最大的共有词（20）         a 中      b 中
  宿舍                          58.18     58.18
  管理员                        57.26     57.26
  管理中心                      44.32     44.32
  住宿                          43.40     43.40
  床位                          40.56     40.56
  学生宿舍                      35.86     35.86
  应当                          30.41     30.41
  学生                          28.82     28.82
  禁止                          27.27     27.27
  晚归                          24.22     24.22
  不得                          22.50     22.50
  登记                          21.18     21.18
  内                            20.95     20.95
  调换                          20.06     20.06
  规定                          19.56     19.56
  大功率                        18.35     18.35
  由                            18.07     18.07
  私自                          17.36     17.36
  来访                          17.04     17.04
  本                            16.41     16.41
""",
    "passages 语料/homework": """\
1 段雷同，最长 448 单位
  占 100%  语料/homework/生物-王小明.txt
  占 100%  语料/homework/生物-陈浩.txt
    448 单位，位于 0-475 和 0-473，相似度 0.9782：
      七年级生物作业 第五题：光合作用需 ... 半是实验组，见光的一半是对照组。
读取 4 篇文档，用时 0.0 秒；跳过 1 个（1 个为空）。
1 对文档有 1 段雷同（每段至少 50 个相同单位）。
""",
    "dedupe 语料/notices -o 净 --lossless --by folder": """\
读取 10 篇文档，用时 0.0 秒。
找到 1 个聚类，其中 2 篇冗余文档（保留：每个聚类的第一篇）。
2 篇文档没有删去：保留的那篇没有包含其内容。
核对候选 5 对（相似度不低于 0.8）。
候选由 simhash 提出 5 对，由 MinHash 提出 5 对。
已写入 净：10 篇文档中留下 8 篇，7.0 kB（原为 8.8 kB，节省 20%）。
如果删掉，会丢失的内容举例（[+ +] 之间）：
    8.0%  语料/notices/宿舍管理规定-2023.txt
          保留的是 语料/notices/宿舍管理规定-2021.txt
          第九条 本规定由宿舍管理中心负责解释，自[+2023+]年9月1日起施行。
    5.1%  语料/notices/宿舍管理规定-2022.txt
          保留的是 语料/notices/宿舍管理规定-2021.txt
          第九条 本规定由宿舍管理中心负责解释，自[+2022+]年9月1日起施行。
     文档      删去     比例     删去的大小  文件夹
       10         2    20.0%         1.8 kB  语料/notices
""",
    "query 旧.index 语料/news/候鸟.txt 语料/notices/停水通知.txt": """\
  距离   相似度  文档
语料/news/候鸟.txt：1 篇匹配
     0  ~1.0000  语料/news/候鸟.txt
语料/notices/停水通知.txt：新文档
查询 2 篇文档，用时 0.0 秒；1 篇有匹配，1 篇是新文档
""",
}


def timeless(text: str) -> str:
    text = re.sub(r"用时 \d+\.\d 秒", "用时 0.0 秒", text)
    return re.sub(r"(%  +\d+\.\d\d) +\d+\.\d\d$", r"\1", text, flags=re.MULTILINE)


@pytest.mark.parametrize("typed", REPORTS)
def test_a_report_reads(simdup: Command, tmp_path: Path, typed: str) -> None:
    shutil.copytree(ROOT / "examples" / "corpus", tmp_path / "语料")
    simdup("index", "build", "旧.index", "语料/news", "-q")
    ran = simdup(*typed.split(), "--lang", "zh")
    assert timeless(ran.text + ran.err) == REPORTS[typed]
