"""Passages between documents, as users of the library find them."""

import gzip
import json
import random
from pathlib import Path

import pytest

from lab.corpora.made import edited, prose, write
from simdup import PassageCriteria, SimdupError, passages
from simdup.model.shared_passages import Passage, PassageResult
from simdup.near import cutting
from simdup.reuse import between
from simdup.text.characters import fold

HOMEWORK = PassageCriteria(min_run=8, min_length=20)


def pairs(found: PassageResult) -> list[tuple[str, str]]:
    return [(one.a, one.b) for one in found.overlaps]


def test_an_excerpt_is_found_where_it_is() -> None:
    source, host = prose(1, 400), prose(2, 200)
    excerpt = source[200:500]
    found = passages([("source", source), ("host", host[:150] + excerpt + host[150:])])
    [one] = found.overlaps
    [passage] = one.passages
    assert (one.a, one.b, passage.similarity) == ("source", "host", 1.0)
    assert passage.a[0] <= 205
    assert passage.a[1] >= 495
    assert one.share_a < one.share_b < 0.6
    assert fold(source[slice(*passage.a)]) in fold(host[:150] + excerpt + host[150:])
    assert (found.summary.documents, found.summary.pairs, len(found)) == (2, 1, 1)


def test_offsets_count_characters_before_folding() -> None:
    a = "\ufeffThe oﬃce of Mr. Zoe\u0301 ＡＢＣ opens at ½ past eight, so\u00adme say. 這是段落。"
    b = "xxxx the office of mr. zoé abc opens at 1⁄2 past eight, some say. 这是段落。"
    [one] = passages([("a", a), ("b", b)], min_length=20).overlaps
    [passage] = one.passages
    assert a[slice(*passage.a)] == a[1:]
    assert fold(a[slice(*passage.a)]) == b[slice(*passage.b)] == b[5:]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "mixed"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_offsets_are_those_of_the_file_whatever_ends_its_lines(
    tmp_path: Path, end: str, encoding: str
) -> None:
    lines = [f"{prose(5, 60)[i * 12 : i * 12 + 12]}，这是第{i}行。" for i in range(5)]
    ends = ["\r\n", "\r", "\n", "\n\r", "\r\n\r\n"] if end == "mixed" else [end] * 5
    text = "".join(line + stop for line, stop in zip(lines, ends, strict=True))
    (tmp_path / "a.txt").write_bytes((prose(6, 30) + ends[0] + text).encode(encoding))
    (tmp_path / "b.txt").write_bytes((prose(7, 90) + "\n" + "\n".join(lines)).encode())
    [one] = passages(str(tmp_path)).overlaps
    [(in_a, in_b, _, similarity)] = one.passages
    found = []
    for name, codec, (first, last) in (("a", encoding, in_a), ("b", "utf-8", in_b)):
        with open(tmp_path / f"{name}.txt", encoding=codec, newline="") as file:
            found.append(file.read()[first:last])
    assert found[0] == text.rstrip()
    assert found[1] == "\n".join(lines)
    assert similarity == 1.0


def test_changed_copies_are_one_passage() -> None:
    source = prose(3, 300)
    [one] = passages([("a", source), ("b", edited(source, edits=20))]).overlaps
    assert one.share_a > 0.9
    assert 0.9 < max(one.passages, key=lambda p: p.length).similarity < 1


def test_identical_texts_are_paired_with_the_first_only() -> None:
    source, host = prose(1), prose(2) + prose(1)[:300]
    data = [("a", source), ("b", host), ("c", f" {source}\n"), ("d", source)]
    found = passages(data)
    assert pairs(found) == [("a", "c"), ("a", "d"), ("a", "b")]
    assert [one.identical for one in found.overlaps] == [True, True, False]
    assert found.overlaps[0].passages[0].b == (1, len(source.rstrip()) + 1)
    assert found.summary.identical == 2


def test_identical_texts_shorter_than_a_passage_are_neither_listed_nor_counted() -> None:
    found = passages([("a", "收到，谢谢。"), ("b", "收到，谢谢。")])
    assert (pairs(found), found.summary.identical) == ([], 0)


def test_references_are_compared_with_the_others_only(tmp_path: Path) -> None:
    own, borrowed = prose(1), prose(2)
    write(tmp_path / "essays", {"a.txt": own + borrowed[:200], "b.txt": own})
    write(tmp_path / "library", {"r.txt": borrowed, "s.txt": borrowed + "。"})
    found = passages(str(tmp_path / "essays"), references=[str(tmp_path / "library")])
    names = [(Path(a).name, Path(b).name) for a, b in pairs(found)]
    assert names == [("a.txt", "r.txt"), ("a.txt", "s.txt")]
    [passage] = found.overlaps[0].passages
    assert passage.b[0] < 5
    assert passage.a[0] > 200


def test_across_leaves_out_what_is_of_one_group(tmp_path: Path) -> None:
    text = prose(1)
    records = [("ann", text), ("ann", text + "甲"), ("bob", text + "乙"), (None, text + "丙")]
    lines = [{"text": t} | ({"who": w} if w else {}) for w, t in records]
    file = tmp_path / "essays.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = passages(str(file), across="who")
    numbers = {tuple(int(name.rpartition("#")[2]) for name in pair) for pair in pairs(found)}
    assert numbers == {(1, 3), (2, 3), (1, 4), (2, 4), (3, 4)}
    assert ("`across`", "1 without 'who' compared with all others") in found.notes
    write(tmp_path / "all", {"x/a": text, "x/b": text, "y/c": text, "y/d": prose(2)})
    found = passages(str(tmp_path / "all"), across="folder")
    assert [(Path(a).name, Path(b).name) for a, b in pairs(found)] == [("a", "c"), ("b", "c")]
    with pytest.raises(SimdupError, match="no record has a field 'author'"):
        passages(str(file), across="author")


def test_within_is_what_each_group_has_alone() -> None:
    texts = [prose(i) for i in range(6)]
    chance = random.Random(4)
    # The same texts, and notices of a whole group, are in several groups.
    rows = [
        {"id": i, "text": chance.choice(texts) + chance.choice(texts), "of": f"{i % 4}"}
        for i in range(40)
    ]
    for row in rows[::7]:
        row["of"] = ""
    for row in rows:
        row["text"] += prose(100) if row["of"] == "1" else ""
    every = passages(rows, same="of")
    alone = [
        overlap
        for group in "0123"
        for overlap in passages([row for row in rows if row["of"] == group]).overlaps
    ]
    assert sorted(every.overlaps) == sorted(alone)
    assert len(alone) > 20
    assert ("`same`", "6 without 'of' compared with none") in every.notes
    with pytest.raises(SimdupError, match="cannot be in `same` too"):
        passages(rows, same="of", across="of")


def test_within_and_across_at_once(tmp_path: Path) -> None:
    text = prose(1)
    lines = [
        {"text": text + tail, "who": who}
        for who, tail in (("ann", ""), ("bob", "甲"), ("ann", "乙"), ("bob", "丙"))
    ]
    for folder, some in (("x", lines[:3]), ("y", lines[3:])):
        write(tmp_path, {f"{folder}/r.jsonl": "".join(json.dumps(line) + "\n" for line in some)})
    found = passages(str(tmp_path), same="folder", across="who")
    numbers = [tuple(name.rpartition("#")[2] for name in pair) for pair in pairs(found)]
    assert sorted(numbers) == [("1", "2"), ("2", "3")]


def test_text_of_a_template_is_ignored(tmp_path: Path) -> None:
    sheet, answer = prose(1, 60), prose(2, 60)
    template = write(tmp_path, {"sheet.txt": sheet}) / "sheet.txt"
    data = [("a", sheet + prose(3)), ("b", sheet + prose(4) + answer), ("c", answer + sheet)]
    assert len(passages(data)) == 3
    found = passages(data, templates=[str(template)])
    assert pairs(found) == [("b", "c")]
    copies = [("a", sheet), ("b", sheet), ("c", sheet + answer), ("d", sheet + answer)]
    found = passages(copies, templates=[str(template)])
    assert (pairs(found), found.summary.identical) == ([("c", "d")], 1)
    with pytest.raises(SimdupError, match="missing"):
        passages(data, templates=[str(tmp_path / "missing")])


def test_results_do_not_depend_on_processes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("simdup.near.collection.WORTH_WORKERS", 100)
    monkeypatch.setattr("simdup.reuse.finding._PAIRS", 100)
    chance = random.Random(1)
    texts = [prose(i) for i in range(40)]
    texts += [prose(100 + i) + chance.choice(texts)[:250] for i in range(60)]
    texts += chance.choices(texts, k=30)
    chance.shuffle(texts)
    write(tmp_path, {f"{i:03}.txt": text for i, text in enumerate(texts)})
    one, many = (passages(str(tmp_path), jobs=jobs) for jobs in (1, 3))
    assert list(one.overlaps) == list(many.overlaps)
    assert one.summary.pairs > 80


def test_boilerplate_starts_no_passage_but_is_part_of_one() -> None:
    notice = prose(0, 60)
    # What a boilerplate has in common with the words before it is not common.
    data = [(f"d{i}", f"{prose(i, 40)}{chr(0x5000 + i)}{notice}") for i in range(1, 70)]
    data += [("x", prose(500, 60) + notice), ("y", prose(500, 60) + notice + prose(501))]
    found = passages(data, common=50)
    assert ("x", "y") in pairs(found)
    assert found.overlaps[0].share_a == 1
    assert len(found) < 10
    assert found.summary.common > 20


STATEMENT = (
    "诚信声明：本人郑重声明，所提交的作业是本人独立完成的，除文中已经注明引用的内容外，"
    "不包含任何他人已经发表或撰写的成果，如有不实，后果自负。签名："
)


@pytest.mark.parametrize("criteria", [PassageCriteria(), HOMEWORK])
def test_a_statement_of_a_whole_class_pairs_nobody(criteria: PassageCriteria) -> None:
    works = [
        f"{prose(i, 60)[:-3]}{chr(0x6000 + i)}。\n{STATEMENT}{chr(0x5000 + i)}" for i in range(30)
    ]
    alone = [work.replace(STATEMENT, "") for work in works]
    assert pairs(passages(enumerate(alone), criteria)) == []
    found = passages(enumerate([*works, works[0]]), criteria)
    assert pairs(found) == [(0, 30)]
    assert found.summary.most_documents == 5
    assert found.summary.common_documents == 31
    # All have the full stop before it, too.
    assert found.summary.common_units == 31 * (len(STATEMENT) + 1)


@pytest.mark.parametrize(("works", "copied"), [(30, 5), (30, 6), (70, 7), (70, 8), (10, 5), (9, 9)])
def test_what_a_tenth_of_a_class_copied_is_reported(works: int, copied: int) -> None:
    paragraph = prose(99, 60)
    data = [(i, f"{prose(i, 60)}\n{paragraph * (i < copied)}\n甲{i}") for i in range(works)]
    found = sorted(pairs(passages(data)))
    hidden = works >= 10 and copied > max(works // 10, 5)
    assert found == (
        [] if hidden else [(i, j) for i in range(copied) for j in range(i + 1, copied)]
    )


TASK = [prose(7000 + n, 40) for n in range(3)]


def works_of_a_class(task: int, count: int = 24) -> list[tuple[str, str]]:
    """Works in which so many answer the questions one by one; the first three copied an answer."""
    copied = prose(8000, 100)
    return [
        (f"{n}", "".join(f"{question * (n < task)}{copied if n < 3 and not part else ''}"
                         f"{prose(100 * n + part, 60)}" for part, question in enumerate(TASK)))
        for n in range(count)
    ]  # fmt: skip


def shares(found: PassageResult) -> dict[str, float]:
    return {rate.document: round(rate.share, 9) for rate in found.rates}


@pytest.mark.parametrize("task", [9, 15, 24])
def test_a_task_that_a_class_was_given_is_in_no_rate(task: int, tmp_path: Path) -> None:
    plain, found = (passages(works_of_a_class(count)) for count in (0, task))
    assert shares(found) == shares(plain)
    assert {rate.document for rate in found.rates if rate.share} == {"0", "1", "2"}
    # Nor is it if references have it.
    write(tmp_path, {"task.txt": "\n".join(TASK), "source.txt": prose(8000, 100)})
    beside = passages(works_of_a_class(task), references=str(tmp_path))
    # What is given is known but for the edges of it.
    assert shares(beside) == pytest.approx(shares(plain), abs=0.01)
    assert sum(share > 0 for share in shares(beside).values()) == 3
    assert {rate.largest_source for rate in beside.rates[:3]} == {str(tmp_path / "source.txt")}


def test_text_of_many_in_rates_is_counted() -> None:
    found = passages(works_of_a_class(8), common=8)
    summary = found.summary
    assert 0.5 < summary.many_units / summary.rated_units < 1
    less = passages(works_of_a_class(8), common=5)
    assert (shares(less), less.summary.many_units) == (shares(passages(works_of_a_class(0))), 0)


def test_length_counts_runs_and_similarity_what_an_alignment_has() -> None:
    """The example of docs/guides/passages.md."""
    runs = ["".join(chr(0x5000 + 30 * k + i) for i in range(30)) for k in range(2)]
    a, b = f"{runs[0]}天地人和{runs[1]}", f"{runs[0]}日地人月{runs[1]}"
    [one] = passages([("a", a), ("b", b)]).overlaps
    assert one.passages == (Passage((0, 64), (0, 64), 60, 2 * 62 / 128),)
    row = "-" * 20
    [one] = passages([("a", f"甲{runs[0]}{row}{runs[1]}"), ("b", runs[0] + row + runs[1])]).overlaps
    assert one.passages == (Passage((1, 81), (0, 80), 60, 1.0),)
    assert (one.share_a, one.share_b) == (80 / 81, 1)


def test_what_was_copied_twice_is_listed_twice() -> None:
    chapter = "".join(chr(0x5000 + i) for i in range(200))
    again = f"{chapter}完{chapter[60:130]}了"
    [one] = passages([("a", chapter), ("b", again)]).overlaps
    assert [p[:2] for p in one.passages] == [((0, 200), (0, 200)), ((60, 130), (201, 271))]
    # Within others in both documents.
    [one] = passages([("a", again), ("b", again + "。")]).overlaps
    assert [p[:2] for p in one.passages] == [((0, 272), (0, 272))]


def test_rows_are_no_passage() -> None:
    data = [(f"d{i}", f"{prose(i)}{'-' * 500}{prose(i + 50)}{'=- ' * 99}") for i in range(9)]
    assert len(passages(data)) == 0
    row = "name ________________________ date ____________________ "
    assert len(passages([("a", row * 4), ("b", row * 4 + "!")], min_length=10)) == 1


def test_many_copies_and_repeated_lines_cost_their_number(tmp_path: Path) -> None:
    text, line = prose(1), prose(2, 9)
    found = passages([(str(i), text) for i in range(3000)])
    assert len(found) == 2999
    found = passages(
        [(str(i), prose(i, 20) + line * 2000) for i in range(20)], min_run=8, common=50
    )
    assert found.summary.passages < 2 * found.summary.pairs
    assert found.summary.repeated > 0


def test_two_texts_share_what_a_corpus_of_them_shares() -> None:
    a, b = prose(1), prose(2)[:200] + edited(prose(1)[:300], edits=5)
    shared = between(a, b)
    [one] = passages([("a", a), ("b", b)]).overlaps
    assert shared == (one.passages, one.share_a, one.share_b)
    assert between("", a) == ((), 0.0, 0.0)


def test_texts_without_units_are_skipped() -> None:
    found = passages([("a", " \n"), ("b", ""), ("c", "字")])
    assert [(one.document, one.reason) for one in found.skipped] == [("a", "empty"), ("b", "empty")]
    assert (found.summary.documents, len(found)) == (1, 0)
    assert len(passages([])) == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [("min_run", 1), ("min_run", 1001), ("gap", -1), ("min_length", 0), ("common", 1)],
)
def test_senseless_numbers_are_refused(field: str, value: int) -> None:
    with pytest.raises(SimdupError) as raised:
        passages([("a", "b")], **{field: value})  # type: ignore[arg-type]
    assert raised.value.field == field


def test_copied_homework_pairs_with_its_original_and_nothing_else_does(shared_data: Path) -> None:
    with gzip.open(shared_data / "poems" / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        poems = [json.loads(line)["text"] for line in lines]
    chance = random.Random(4)
    poems = sorted({text for text in poems if 60 <= len(text) <= 200})
    originals = ["".join(chance.sample(poems, 2)) for _ in range(40)]
    copies = []
    for text in originals[:20]:
        words = [text[i : i + 2] for i in range(0, len(text), 2)]
        for _ in range(len(words) // 12):
            place = chance.randrange(len(words))
            words[place : place + 1] = chance.choice([[], [words[place], "又是"], ["如此"]])
        copies.append("".join(words))
    data = [(str(i), text) for i, text in enumerate([*originals, *copies])]
    found = set(pairs(passages(data, HOMEWORK)))
    expected = {(str(i), str(40 + i)) for i in range(20)}
    assert expected <= found


def test_one_range_of_texts_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "Workers", None)
    assert len(passages([("a", prose(1)), ("b", prose(1) + "。")], jobs=4)) == 1
