"""`decontaminate`: what is written has no leak left, in every form, and nothing else changes."""

import gzip
import hashlib
import json
import random
import zipfile
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from record_forms import FORMS
from support import examples

from lab.corpora.made import write
from lab.oracles import reuse as oracle
from simdup import SimdupError, decontaminate
from simdup.corpus.changes import joined
from simdup.corpus.record_fields import without_spans
from simdup.text.characters import fold_all

Q1 = (
    "The keeper of the northern lighthouse counts every boat that passes before the storm comes in."
)
Q2 = "下列关于海洋潮汐成因的说法，正确的是哪一项？甲、月球引力；乙、地球自转；丙、太阳辐射。"
ASKED = [("q1", Q1), ("q2", Q2), ("q3", "Nobody has copied this text about ropes and old sails.")]
A = "A page about gardens, and how roses are pruned in winter.\n"
B = "这一页讲的是如何在冬天修剪果树。\r\n"
TEXTS = [A, f"{A}{Q1} {B}", f"{B}{Q2}{B}", f"{Q1}{Q2}", B]
LEFT = [A, f"{A} {B}", f"{B}{B}", "", B]

# Texts of a few units leak into each other, and what is left of them may be a leak again.
LETTERS = {
    "zh": ["甲", "乙", "丙", "丁", "。", "\n", " "],
    "en": ["ab ", "cd ", "ef", "x, ", ".", "\n", " "],
    "odd": ["…", ".", "ﬁ", "fi", "㎏ ", "kg", "½", "1/2", "İ", "ß", "ss", "e\u0301", "é", "\u200b",
            "甲", "\U0001f600", "한", "\ufeff", " ", "ab "],
}  # fmt: skip


@st.composite
def leaky(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Evaluation texts, and documents with whole ones, parts, and some within others."""
    letters = st.sampled_from(LETTERS[draw(st.sampled_from(sorted(LETTERS)))])
    asked = draw(st.lists(st.lists(letters, min_size=1, max_size=30).map("".join), min_size=1,
                          max_size=4))  # fmt: skip
    some, place = st.sampled_from(asked), st.integers(0, 30)
    pieces = [
        some, st.builds(lambda one, at: one[:at], some, place),
        st.builds(lambda one, at: one[at:], some, place),
        st.builds(lambda one, at, other: one[:at] + other + one[at:], some, place, some),
        st.lists(letters, max_size=5).map("".join),
    ]  # fmt: skip
    texts = st.lists(st.one_of(pieces), max_size=4).map("".join)
    return asked, draw(st.lists(texts, min_size=1, max_size=5))


HOW = st.fixed_dictionaries({
    "share": st.sampled_from([0.3, 0.5, 1.0]), "min_run": st.sampled_from([4, 5, 8]),
    "gap": st.sampled_from([0, 2, 30]),
})  # fmt: skip


@examples(30)
@given(leaky(), HOW)
def test_nothing_is_left_and_nothing_else_is_lost(
    made: tuple[list[str], list[str]], how: dict[str, Any]
) -> None:
    asked, texts = ([*enumerate(some)] for some in made)
    asked.append(("elsewhere", "庚辛壬癸" * 9))
    found = decontaminate(texts, asked, jobs=1, **how)
    leaky = {one.document for one in found.leaks}
    assert found.data == [pair for pair in texts if pair[0] not in leaky]
    assert (found.affected, found.left_out, found.kept) == (len(leaky), len(leaky), 0)
    assert not decontaminate(found.data, asked, jobs=1, **how).leaks
    masked = decontaminate(texts, asked, mask=True, jobs=1, **how)
    assert masked.leaks == found.leaks
    kept = {one.document for one in masked.skipped if one.error}
    again = decontaminate(masked.data, asked, jobs=1, **how)
    assert {one.document for one in again.leaks} <= kept
    assert masked.kept == len(kept)
    for number, (text, left) in enumerate(zip(made[1], dict(masked.data).values(), strict=True)):
        own = [one for one in found.leaks if one.document == number]
        spans = joined(span for one in own for span in one.spans)
        assert all(0 <= start < end <= len(text) for start, end in spans)
        rest = iter(without_spans(text, spans))
        assert all(letter in rest for letter in left)  # in this order
        assert left == text or number in leaky


def test_evidence_names_the_characters_in_both_texts() -> None:
    text = f"One.\n\n{Q1.replace(' ', chr(10)).upper()} Two. {Q2[:20]}某某{Q2[20:]}三。"
    first, second = decontaminate([("d", text)], ASKED).leaks
    (span,), (asked,) = first.spans, first.evaluation_spans
    assert text[slice(*span)] == Q1.replace(" ", "\n").upper()
    assert asked == (0, len(Q1))
    assert (first.evaluation, first.share) == ("q1", 1)
    (span,) = second.spans
    assert text[slice(*span)] == f"{Q2[:20]}某某{Q2[20:]}"


def test_a_share_is_of_one_document() -> None:
    """Two documents that have a text together do not leak it."""
    halves = [("a", A + Q2[:20]), ("b", Q2[24:] + B)]
    assert not decontaminate(halves, ASKED).leaks
    assert [one.document for one in decontaminate(halves, ASKED, share=0.3).leaks] == ["a", "b"]


def test_a_leak_within_a_leak_is_cut_too() -> None:
    """Cutting one makes the other what it was."""
    text = Q2[:20] + Q1 + Q2[20:]
    assert decontaminate([("a", f"{A}{text}{B}")], ASKED, mask=True, gap=0).data == [("a", A + B)]


def test_a_short_text_is_found_where_it_is_all_there_is() -> None:
    texts = [("a", "月亮。"), ("b", f"{A}月亮。"), ("c", f"{Q2}月亮。")]
    asked = [*ASKED, ("short", "月亮。")]
    found = decontaminate(texts, asked, mask=True)
    assert [(one.document, one.evaluation) for one in found.leaks] == [("a", "short"), ("c", "q2")]
    assert found.data == [("a", ""), texts[1], ("c", "")]
    assert found.rates[0][1:] == (4, 2, 1, 0)


def test_what_cannot_be_cut_stays_and_is_an_error() -> None:
    """Of one character that is several letters of an evaluation text, none can be cut."""
    texts, asked = [("a", "㍿甲"), ("b", "乙")], [("q", "株式会社甲")]
    plain = decontaminate(texts, asked, min_run=4, share=0.5)
    found = decontaminate(texts, asked, min_run=4, share=0.5, mask=True)
    again = decontaminate(found.data, asked, min_run=4, share=0.5)
    assert len(plain.leaks) == len(found.leaks)
    assert len(again.leaks) == found.kept


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mask", [False, True])
def test_records_of_every_format(form: str, mask: bool, tmp_path: Path) -> None:
    def content(texts: list[str]) -> bytes:
        kept = [i for i, text in enumerate(TEXTS) if mask or text == LEFT[i]]
        rows = TEXTS if texts is TEXTS else [LEFT[i] for i in kept]
        numbers = range(len(TEXTS)) if texts is TEXTS else kept
        return FORMS[form](
            {"id": f"n{i}", "text": text} for i, text in zip(numbers, rows, strict=True)
        )

    source, out = tmp_path / f"a.{form}", tmp_path / f"b.{form}"
    source.write_bytes(content(TEXTS))
    found = decontaminate(source, ASKED, mask=mask, output=out)
    assert (found.affected, found.kept, found.written) == (3, 0, str(out))
    if form == "parquet":
        import pyarrow.parquet as pq

        left = pq.read_table(out).column("text").to_pylist()
        assert left == [one for one, text in zip(LEFT, TEXTS, strict=True) if mask or one == text]
    elif form == "json":  # what is written anew is in one line
        assert json.loads(out.read_bytes()) == json.loads(content(LEFT))
    else:
        assert out.read_bytes() == content(LEFT)
    assert source.read_bytes() == content(TEXTS)
    assert not decontaminate(out, ASKED).leaks


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files of every kind, all but one with a leak."""
    source = tmp_path / "in"
    write(source, {"clean.txt": A, "page.html": f"<html><body><p>{A}{Q1}</p></body></html>"})
    for name, codec in {"gb.txt": "gb18030", "wide.txt": "utf-16", "mark.txt": "utf-8-sig"}.items():
        (source / name).write_bytes((B * 5 + Q2 + A).encode(codec))
    rows = [{"id": i, "text": text} for i, text in enumerate(TEXTS)]
    (source / "r.jsonl.gz").write_bytes(gzip.compress(FORMS["jsonl"](rows)))
    (source / "bad.txt").write_bytes((A + Q1).encode() + b"\xff" + B.encode())
    with zipfile.ZipFile(source / "pack.zip", "w") as archive:
        archive.writestr("m.txt", A + Q1)
    return source


def digests(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def reasons(found: Any) -> dict[str, str]:
    return {Path(one.document).name: one.reason for one in found.skipped if one.error}


def test_a_folder_without_documents_that_leak(folder: Path, tmp_path: Path) -> None:
    before, out = digests(folder), tmp_path / "out"
    found = decontaminate(folder, ASKED, output=out)
    assert sorted(digests(out)) == ["clean.txt", "pack.zip", "r.jsonl.gz"]
    assert (found.affected, found.left_out, found.kept) == (9, 8, 1)
    assert "archive" in reasons(found)["m.txt"]
    assert {one.document for one in decontaminate(out, ASKED).leaks} == {f"{out}/pack.zip/m.txt"}
    assert digests(folder) == before


def test_a_folder_of_documents_without_their_leaks(folder: Path, tmp_path: Path) -> None:
    before, out = digests(folder), tmp_path / "out"
    found = decontaminate(folder, ASKED, output=out, mask=True)
    assert (found.affected, found.left_out, found.kept) == (9, 1, 2)
    assert sorted(digests(out)) == sorted(set(before) - {"page.html"})
    for name, codec in {"gb.txt": "gb18030", "wide.txt": "utf-16", "mark.txt": "utf-8-sig"}.items():
        assert (out / name).read_bytes() == (B * 5 + A).encode(codec)
    assert set(reasons(found)) == {"m.txt", "bad.txt"}
    assert any("page.html" in name and "left out" in note for name, note in found.notes)
    left = {Path(one.document).name for one in decontaminate(out, ASKED).leaks}
    assert left == {"m.txt", "bad.txt"}
    tried = decontaminate(folder, ASKED, mask=True)
    about = attrgetter("documents", "evaluations", "leaks", "affected", "left_out", "kept")
    assert about(tried) == about(found)
    assert (tried.kept, tried.skipped, tried.written) == (2, found.skipped, None)
    assert digests(folder) == before


def test_a_damaged_file_stays_as_it_is(tmp_path: Path) -> None:
    source = tmp_path / "in"
    write(source, {"a.txt": A})
    damaged = gzip.compress(FORMS["jsonl"]({"text": Q1, "n": i} for i in range(12_000)))[:-2000]
    (source / "b.jsonl.gz").write_bytes(damaged)
    found = decontaminate(source, ASKED, output=tmp_path / "out")
    assert (tmp_path / "out/b.jsonl.gz").read_bytes() == damaged
    assert found.kept == found.affected > 0
    assert any(one.error for one in found.skipped)


def test_an_evaluation_file_in_the_corpus(tmp_path: Path) -> None:
    source = tmp_path / "in"
    write(source, {"a.txt": A})
    (source / "eval.jsonl").write_bytes(FORMS["jsonl"]([{"text": Q1}, {"text": Q2}, {"no": 1}]))
    found = decontaminate(source, source / "eval.jsonl", output=tmp_path / "out")
    assert [(one.leaked, one.texts) for one in found.rates] == [(2, 2)]
    assert json.loads((tmp_path / "out/eval.jsonl").read_text()) == {"no": 1}
    assert [note for _, note in found.notes] == [
        "is both a SOURCE and an EVAL, so all its texts are leaks"
    ]
    # The record without the field is named once.
    assert len(found.skipped) == 1


def test_processes_do_not_matter(tmp_path: Path) -> None:
    rows = [{"id": i, "text": f"{A}{i} {Q2 if i % 7 == 0 else B}{i}"} for i in range(3000)]
    (tmp_path / "a.jsonl").write_bytes(FORMS["jsonl"](rows))
    runs = []
    for jobs in (1, 2):
        out = tmp_path / f"{jobs}.jsonl"
        found = decontaminate(tmp_path / "a.jsonl", ASKED, mask=True, output=out, jobs=jobs)
        runs.append((found.leaks, found.rates, out.read_bytes()))
    assert runs[0] == runs[1]
    assert len(runs[0][0]) == 429


def test_several_fields_are_one_text() -> None:
    first, rest = Q1[: Q1.index(" counts")], Q1[Q1.index("counts") :]
    rows = [{"a": {"t": first}, "u": rest + B, "n": 1}, {"a": {"t": A}, "u": None, "n": 2}]
    asked = [{"x": {"q": Q1[:4]}, "y": Q1[4:]}]
    found = decontaminate(rows, asked, text=("a.t", "u"), against_field=("x.q", "y"), mask=True)
    assert len(found.leaks) == 1
    assert found.data[1] == rows[1]
    assert found.data[0] == {"a": {"t": ""}, "u": B, "n": 1}
    again = decontaminate(found.data, asked, text=("a.t", "u"), against_field=("x.q", "y"))
    assert not again.leaks


def test_a_line_break_between_fields_stays() -> None:
    """Words on either side of a leak are not one word then, and may be part of another leak."""
    rows = [{"t": "ab甲乙丙丁", "u": "戊己庚辛cd 子丑寅卯"}]
    asked = [("first", "甲乙丙丁戊己庚辛"), ("second", "ab cd 子丑寅卯")]
    how = {"share": 1.0, "min_run": 8, "text": ("t", "u")}
    found = decontaminate(rows, asked, mask=True, **how)
    assert [one.evaluation for one in found.leaks] == ["first"]
    assert found.data == [{"t": "", "u": ""}]
    assert not decontaminate(found.data, asked, **how).leaks


def test_ids_are_returned_as_they_are() -> None:
    pairs = [(("a", 1), Q1), (None, A), (("a", 1), f"{A}{Q1}")]
    found = decontaminate(pairs, {7: Q1})
    assert [(one.document, one.evaluation) for one in found.leaks] == [(("a", 1), 7)] * 2
    assert found.data == [(None, A)]
    assert decontaminate(dict(zip("abc", TEXTS, strict=False)), ASKED).data == {"a": A}
    assert decontaminate(iter(pairs), iter([(7, Q1)])).data == [(None, A)]
    assert decontaminate(tuple(pairs), [(7, Q1)]).data == ((None, A),)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_tables(kind: str) -> None:
    library = pytest.importorskip(kind)
    make = library.table if kind == "pyarrow" else library.DataFrame
    found = decontaminate(make({"text": TEXTS}), make({"q": [Q1, Q2]}), against_field="q")
    assert [*map(str, found.data["text"])] == [A, B]
    masked = decontaminate(make({"text": TEXTS}), [("q", Q1), ("r", Q2)], mask=True).data
    assert masked.equals(make({"text": LEFT}))
    assert type(masked) is type(found.data)


def test_arguments_without_sense(tmp_path: Path) -> None:
    write(tmp_path, {"s.txt": A, "e.txt": Q1})
    source, asked = tmp_path / "s.txt", tmp_path / "e.txt"
    for against in ([], [("q", " ")], tmp_path / "no"):
        with pytest.raises(SimdupError, match=r"^against: (has no text|no such file)"):
            decontaminate([("a", A)], against)
    with pytest.raises(SimdupError, match="is a SOURCE itself"):
        decontaminate(source, asked, output=asked, force=True)
    with pytest.raises(SimdupError, match="output: data that is not in files"):
        decontaminate([("a", A)], ASKED, output=tmp_path / "out")
    with pytest.raises(SimdupError, match="data: no such file"):
        decontaminate(tmp_path / "no", ASKED)
    with pytest.raises(TypeError, match="mask: expected True or False"):
        decontaminate([("a", A)], ASKED, mask=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="'shar'"):
        decontaminate([("a", A)], ASKED, shar=1)  # type: ignore[call-arg]
    assert asked.read_text("utf-8") == Q1


# -- what evaluation texts share --

FOLDED = sorted(set("".join(fold_all([*map(chr, range(0x5000, 0x5400))]))))

INSTRUCTION = "Read the question below with care, and answer it with one letter and nothing else. "
OPTIONS = " Options: A. always true; B. sometimes true; C. never true. Answer:"
SYLLABLES = ["lan", "har", "mea", "thim", "gra", "wal", "sad", "peb", "cob", "bar", "rib", "anv"]


def questions(count: int) -> list[str]:
    """Questions of which no two share a run."""
    chance = random.Random(5)
    words = [f"{a}{b}" for a in SYLLABLES for b in SYLLABLES]
    return ["Why is " + " ".join(chance.sample(words, 11)) + "?" for _ in range(count)]


@pytest.mark.parametrize("count", [6, 40, 200])
def test_an_instruction_makes_no_leak_and_hides_none(count: int) -> None:
    plain = questions(count)
    asked = [(n, f"{INSTRUCTION}{text}{OPTIONS}") for n, text in enumerate(plain)]
    pages = [("rules", f"{A}{INSTRUCTION}{OPTIONS}{B}"), *((n, A + plain[n] + B) for n in (1, 4))]
    pages += [("all", f"{B}{asked[2][1]}{A}"), ("other", f"{INSTRUCTION}{A}{OPTIONS}")]
    found = decontaminate(pages, asked)
    leaks = {(one.document, one.evaluation): one.share for one in found.leaks}
    assert leaks == {(1, 1): 1, (4, 4): 1, ("all", 2): 1}
    assert found.common_texts == count
    bare = decontaminate(pages, [*enumerate(plain)])
    assert [one[:3] for one in bare.leaks] == [one[:3] for one in found.leaks]


@examples(40)
@given(st.integers(0, 2**32), st.sampled_from([2, 3, 5]))
def test_shares_are_those_of_all_pairs_of_places(seed: int, most: int) -> None:
    chance = random.Random(seed)
    pool = "".join(chance.sample(FOLDED, 60))

    def made() -> str:
        starts = (chance.randrange(60) for _ in range(chance.randrange(1, 5)))
        return "".join(pool[start : start + chance.randrange(2, 20)] for start in starts)

    asked = [pool[:7] * chance.randrange(2) + made() for _ in range(6)]
    texts = [pool[:7] * chance.randrange(2) + made() for _ in range(5)]
    found = decontaminate([*enumerate(texts)], [*enumerate(asked)], min_run=5, share=0.3,
                          common=most, jobs=1)  # fmt: skip
    codes = [[*map(ord, text)] for text in asked]
    counting = oracle.counting_places(codes, 5, most)
    expected = {
        (document, number): share
        for number, places in enumerate(counting)
        for document, text in enumerate(texts)
        if (share := oracle.leaked_share(codes[number], [*map(ord, text)], places, 5)) >= 0.3
    }
    shares = {(one.document, one.evaluation): one.share for one in found.leaks}
    assert shares == pytest.approx(expected)


def test_only_what_many_texts_of_a_file_share_does_not_count() -> None:
    plain = questions(6)
    asked = [(n, INSTRUCTION + text) for n, text in enumerate(plain)]
    pages = [("rules", A + INSTRUCTION)]
    assert not decontaminate(pages, asked).leaks
    few = decontaminate(pages, asked[:5], share=0.3)
    assert (len(few.leaks), few.common_units) == (5, 0)
    # Copies of a text count once.
    assert len(decontaminate(pages, asked[:5] * 2, share=0.3).leaks) == 10
    assert not decontaminate(pages, asked[:4], share=0.3, common=3).leaks
    # A text that is nothing else has nothing that could leak.
    whole = decontaminate([("rules", INSTRUCTION)], [*asked, ("only", INSTRUCTION)])
    assert (whole.leaks, whole.rates[0].short) == ([], 1)


def test_leaks_in_many_documents_are_counted_apart() -> None:
    texts = [(n, f"{n} {Q1}") for n in range(6)]
    assert decontaminate(texts[:5], ASKED).rates[0][1:] == (3, 1, 0, 0)
    assert decontaminate(texts, ASKED).rates[0][1:] == (3, 1, 0, 1)


def test_the_order_of_input_does_not_matter(tmp_path: Path) -> None:
    plain, chance = questions(30), random.Random(1)
    asked = [{"id": f"q{n}", "text": INSTRUCTION + text} for n, text in enumerate(plain)]
    rows = [
        {"id": f"d{n}", "text": f"{A}{text[: 9 * n]} {text}{B}{plain[(n * 7) % 30]}"}
        for n, text in enumerate(plain)
    ]
    seen = set()
    for _ in range(5):
        paths: dict[str, list[Path]] = {"train": [], "eval": []}
        for kind, records in (("train", rows), ("eval", asked)):
            chance.shuffle(records)
            for part, some in enumerate((records[:11], records[11:])):
                paths[kind].append(tmp_path / f"{kind}{part}.jsonl")
                content = some if kind == "train" else records
                paths[kind][-1].write_bytes(FORMS["jsonl"](content))
            chance.shuffle(paths[kind])
        found = decontaminate(paths["train"], paths["eval"][:1], id="id")
        seen.add(str(sorted(found.leaks)))
    assert len(seen) == 1
    assert len(found.leaks) > 30


# -- evaluation texts as they are distributed --


def test_an_object_with_one_array_of_records(tmp_path: Path) -> None:
    rows = [{"key": "k1", "question": Q1}, {"key": "k2", "question": "How are ropes made?"}]
    asked = tmp_path / "bench.json"
    asked.write_text(json.dumps({"version": "1.0", "labels": ["a"], "data": rows}, indent=1))
    names = {"against_field": "question", "against_id_field": "key"}
    found = decontaminate([("a", A + Q1)], asked, **names)
    assert [(one.evaluation, one.share) for one in found.leaks] == [("k1", 1)]
    assert (found.evaluations, found.rates[0].file) == (2, str(asked))
    with pytest.raises(
        SimdupError, match=r"no field 'text' \(fields: 'key' = 'k1', 'question' = 'The keep"
    ) as raised:
        decontaminate([("a", A)], asked)
    assert raised.value.hint == "`against_field` question"


NESTED = {"version": "1", "data": [{"title": "T", "parts": [{"text": Q1, "asked": [{"q": Q2}]}]}]}


@pytest.mark.parametrize(("values", "field", "path"), [
    (NESTED, "q", ".data[].parts[].asked[]"), (NESTED, None, ".data[].parts[]"),
    ({"train": [{"q": Q1}], "test": [{"q": Q2}]}, "q", ".train[], .test[]"),
    ({"my texts": [Q1, Q2], "data": [{"n": "1"}]}, None, '.["my texts"][] | {text: .}'),
    ([Q1, Q2], "q", ".[] | {text: .}"),
])  # fmt: skip
def test_another_form_is_an_error_that_names_the_next_step(
    values: Any, field: str | None, path: str, tmp_path: Path
) -> None:
    asked = tmp_path / "bench.json"
    asked.write_text(json.dumps(values))
    with pytest.raises(SimdupError, match="many texts in a form of its own") as raised:
        decontaminate([("a", A + Q1)], asked, against_field=field)
    assert f"jq -c '{path}' {asked} > " in raised.value.hint


def test_json_that_is_a_text_itself_stays_one(tmp_path: Path) -> None:
    asked = tmp_path / "task.json"
    task = {"prompt": f"{Q1} {Q2}", "tests": [{"in": "1", "out": "2"}]}
    asked.write_text(json.dumps(task, ensure_ascii=False), "utf-8")
    assert decontaminate([("a", f"{A}{Q1} {Q2}")], asked).leaks[0].share > 0.5


def test_a_field_that_names_nothing_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, {"s/a.txt": A, "e/q.txt": Q1, "r.jsonl": json.dumps({"text": Q1})})
    texts, asked, rows = tmp_path / "s", tmp_path / "e", tmp_path / "r.jsonl"
    with pytest.raises(SimdupError, match="against_field: no record has a field 'question'"):
        decontaminate(texts, asked, against_field="question")
    with pytest.raises(SimdupError, match="no field 'question'"):
        decontaminate(texts, [asked, rows], against_field="question")
    with pytest.raises(SimdupError, match="field: no record has a field 'body'"):
        decontaminate(texts, asked, text="body")
    with pytest.raises(SimdupError, match="field: no record has a field 'body'"):
        decontaminate(texts, rows, text="body", against_field="text")
    with pytest.raises(SimdupError, match="field: no record has a field 'body'"):
        decontaminate(rows, asked, text="body")
    rows.write_text(json.dumps({"body": Q1}))
    assert decontaminate(texts, rows, text="body").evaluations == 1
