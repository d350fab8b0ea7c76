"""Tokens: every kind, the words of jieba, and a silent jieba."""

import gzip
import itertools
import json
import os
import re
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import IO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Command, process

from lab.corpora.made import prose, write
from lab.oracles import plain
from lab.oracles.segmenting import segmenter
from simdup import Recipe, SimdupError, compare, fingerprint
from simdup.text.tokens import NO_DICTIONARY, Dictionary, _entries, tokenizer


@pytest.fixture(scope="module", autouse=True)
def _parsed_once() -> Iterator[None]:
    """jieba parses its dictionary, which takes a second, once for all that are added to it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from jieba import Tokenizer
    engine = Tokenizer()
    words, total = engine.gen_pfdict(engine.get_dict_file())

    def parsed(_: object, file: IO[bytes]) -> tuple[dict[str, int], int]:
        file.close()
        return dict(words), total

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tokenizer, "gen_pfdict", parsed)
        yield


def terms(text: str, tokens: str, **changes: object) -> dict[str, float]:
    """The terms of a text with their counts, as a comparison shows them."""
    recipe = Recipe(tokens=tokens, weight="tf", top=0, cap=0, **changes)  # type: ignore[arg-type]
    found = compare(text, "", recipe)
    return dict(found.only_a)


def test_words_of_a_mixed_text() -> None:
    assert terms("我爱自然语言处理，Hello WORLD 3.14 hello", "words") == {
        "我": 1, "爱": 1, "自然语言": 1, "处理": 1, "hello": 2, "world": 1, "3": 1, "14": 1,
    }  # fmt: skip


def test_han_outside_the_dictionary_is_cut_into_characters() -> None:
    assert terms("㐀㐁𠀀𠀁〇〇", "words") == {"㐀": 1, "㐁": 1, "𠀀": 1, "𠀁": 1, "〇": 2}


def test_words_of_other_scripts() -> None:
    text = "тихая гавань, ελιά καφέ 서울 도서관 naïve_name かな"
    assert terms(text, "words") == dict.fromkeys(
        ["тихая", "гавань", "ελιά", "καφέ", "서울", "도서관", "naïve_name", "かな"], 1
    )


def test_a_run_of_han_ends_where_another_script_begins() -> None:
    assert terms("河岸abc市场", "words") == {"河岸": 1, "abc": 1, "市场": 1}
    # No word crosses a gap, even if the dictionary has it.
    assert terms("市 场", "words") == {"市": 1, "场": 1}
    assert terms("市\n场", "words") == {"市": 1, "场": 1}


def test_split_keeps_items_unchanged() -> None:
    text = " The cat,\tthe  CAT,\n河岸 河岸。\u3000x "
    assert terms(text, "split", fold=False) == {
        "The": 1, "cat,": 1, "the": 1, "CAT,": 1, "河岸": 1, "河岸。": 1, "x": 1,
    }  # fmt: skip


def test_tagged_drops_punctuation_and_items_without_a_tag() -> None:
    text = "河岸/n 、/wn 没有标记 ，/wd 老人/n 钓鱼/v 老人/n 1/2/m 。/wj （/wkz x/awdx"
    assert terms(text, "tagged", fold=False) == {
        "河岸": 1, "老人": 2, "钓鱼": 1, "1/2": 1, "。": 1, "（": 1,
    }  # fmt: skip


def test_a_kind_there_is_not() -> None:
    for wrong in ("word", "chars", "chars:0", "ngrams:x", "chars:-1", "", "words:2"):
        with pytest.raises(SimdupError, match="tokens: invalid value"):
            Recipe(tokens=wrong)


# Common characters make words, and so do rare ones that no dictionary has.
HAN = st.one_of(
    st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF),
    st.sampled_from(
        "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年"
    ),
)
MIXED = st.text(st.one_of(HAN, HAN, st.sampled_from("aZ09.%+#_- \n\r，。㐀𠀀〇é")), max_size=60)


def cut(text: str, dictionary: Dictionary = NO_DICTIONARY) -> list[str]:
    """The words of a text, in order."""
    return tokenizer(Recipe(), dictionary)([text]).lists()[0]


@cache
def jieba(content: str = "") -> Callable[[str], list[str]]:
    """The words of a text as jieba cuts them."""
    segment = segmenter(_entries(Dictionary("", content.encode())))
    return lambda text: plain.words(text, segment)


@given(MIXED)
def test_words_are_those_of_jieba(text: str) -> None:
    assert cut(text) == jieba()(text)


# Words that jieba knows or not, one that it would guess, letters, a word to be taken away.
OWN = (
    "石桥老街 100 ns\n云栖竹径\nOld Harbour 5\n山的南 999999\n卡拉OK 7\n"
    "中大 0\n我们 0\n年主发 0\n𠀀一 9\n山我 0\n山我 3\n"
)


@given(st.text(st.sampled_from("石桥老街云栖竹径山的南边中大我们年主发卡拉O𠀀一是在"), max_size=30))
def test_words_of_a_user_dictionary_are_those_of_jieba(text: str) -> None:
    assert cut(text, Dictionary("own", OWN.encode())) == jieba(OWN)(text)


def test_words_that_fold_to_nothing_are_none() -> None:
    # Each of them doubled the sum of all frequencies.
    dictionary = Dictionary("own", "\u200b\n".encode() * 2000)
    assert cut("石桥老街在山的南边", dictionary) == cut("石桥老街在山的南边")


def test_characters_that_no_dictionary_has_are_cut_one_by_one() -> None:
    text = "河" + "".join(map(chr, range(0x9FD6, 0xA000))) + "岸"
    assert cut(text) == list(text)


@pytest.mark.parametrize("collection", ["laws", "vsdocs", "poems"])
def test_words_of_real_texts_are_those_of_jieba(shared_data: Path, collection: str) -> None:
    with gzip.open(shared_data / collection / "docs.jsonl.gz", "rb") as lines:
        texts = [json.loads(line)["text"] for line in itertools.islice(lines, 0, 1200, 40)]
    assert tokenizer(Recipe())(texts).lists() == list(map(jieba(), texts))


def test_a_user_dictionary_adds_words(tmp_path: Path) -> None:
    text = "石桥老街在山的南边，石桥老街很安静"
    assert {"石桥", "老街"} < terms(text, "words").keys()
    dictionary = tmp_path / "words.txt"
    dictionary.write_text("\ufeff石桥老街 100 ns\n\n云栖竹径\nOld Harbour 5\n", "utf-8")
    assert terms(text, "words", dictionary=str(dictionary))["石桥老街"] == 2
    # Another content under the same name, folded like the texts: traditional characters.
    dictionary.write_text("山的南邊 999999\n", "utf-8")
    found = terms(text, "words", dictionary=str(dictionary))
    assert {"石桥", "老街", "山的南边"} < found.keys()


def test_the_dictionary_is_part_of_the_recipe(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": prose(1), "one.dict": "云栖竹径\n", "two.dict": "石桥老街\n"})

    def header(*options: str) -> str:
        return simdup("fingerprint", "a.txt", *options).lines[0]

    headers = [header(), header("--dict", "one.dict"), header("--dict", "two.dict")]
    assert len(set(headers)) == 3
    (tmp_path / "copy.dict").write_bytes((tmp_path / "one.dict").read_bytes())
    assert header("--dict", "copy.dict") == headers[1]


@pytest.mark.parametrize(("content", "what"), [(None, "no such file"), (b"\xff\xfe", "UTF-8")])
def test_a_dictionary_that_cannot_be_read(
    simdup: Command, tmp_path: Path, content: bytes | None, what: str
) -> None:
    write(tmp_path, {"a.txt": prose(1)})
    if content is not None:
        (tmp_path / "d").write_bytes(content)
    ran = simdup("fingerprint", "--dict", "d", "a.txt")
    assert ran.status == 2
    assert ran.err.startswith("simdup: d: ")
    assert what in ran.err.replace("No such", "no such")


@pytest.mark.parametrize("options", [(), ("--dict", "../own")])
def test_jieba_leaves_no_files_and_prints_nothing(tmp_path: Path, options: tuple[str, ...]) -> None:
    (tmp_path / "own").write_text("石桥老街 100\n", "utf-8")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    write(tmp_path / "corpus", {"a.txt": prose(1), "b.txt": prose(2)})
    ran = process(
        "scan", ".", *options, "-q",
        cwd=tmp_path / "corpus", TMPDIR=str(temporary), PYTHONWARNINGS="default",
    )  # fmt: skip
    assert (ran.status, ran.err) == (0, "")
    assert os.listdir(temporary) == []


def test_a_text_without_words_has_no_fingerprint() -> None:
    for text in ("", " \n\u3000", "，。！…", "\u200b\u200b"):
        assert fingerprint(text) is None
        assert terms(text, "words") == {}


def test_an_absurd_frequency_is_an_error(simdup: Command, tmp_path: Path) -> None:
    """More than 4,300 digits used to be an internal error."""
    write(tmp_path, {"a.txt": prose(1), "long.dict": f"云栖竹径\n石桥老街 {'9' * 5000} n\n"})
    ran = simdup("fingerprint", "a.txt", "--dict", "long.dict")
    assert ran.status == 2
    assert ran.err == "simdup: long.dict:2: a frequency of 5000 digits (at most 18)\n"


def test_an_absurd_word_is_an_error(simdup: Command, tmp_path: Path) -> None:
    """It took memory in the square of its length, and many spaces took such time."""
    write(tmp_path, {"a.txt": prose(1), "long.dict": f"云栖竹径 {' ' * 30_000}!\n"})
    started = time.process_time()
    ran = simdup("fingerprint", "a.txt", "--dict", "long.dict")
    assert time.process_time() - started < 5
    assert ran.status == 2
    assert ran.err == "simdup: long.dict:1: a word of 30,006 characters (at most 100)\n"


@given(st.text("a桥5 n\u3000é", min_size=1).filter(str.strip))
def test_lines_of_a_dictionary_are_a_word_a_frequency_and_a_tag(line: str) -> None:
    pattern = r"(.+?)(?:\s+(\d+))?(?:\s+([a-zA-Z]+))?"
    expected = re.fullmatch(pattern, line.strip())
    assert expected is not None
    assert list(_entries(Dictionary("x", line.encode()))) == [expected.groups()]
