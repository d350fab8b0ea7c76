"""Day by day: each delivery is cleaned against everything before, through an index."""

import csv
import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from support import Command

from lab.corpora.made import edited, prose, write
from simdup import Index, SimdupError, dedupe

OPTIONS = ("--id-field", "id", "--index", "seen.index", "--add")


WORDS = "We were glad to hear from you, and hope that all is well with the garden by the river."


def deliveries(seed: int) -> list[list[dict[str, str]]]:
    """Five days of pages: some new, some copies, some near pages of the same or an earlier day."""
    chance = random.Random(seed)
    pages: list[str] = []
    days: list[list[dict[str, str]]] = []
    for day in range(5):
        rows = []
        for n in range(20):
            kind = chance.random()
            if pages and kind < 0.25:
                text = chance.choice(pages)
            elif pages and kind < 0.5:
                text = edited(chance.choice(pages), chance.randrange(1000), 1)
            else:
                text = prose(1000 * seed + 20 * day + n)
            pages.append(text)
            rows.append({"id": f"https://example.org/{day}/{n}", "text": text})
        days.append(rows)
    return days


def write_rows(path: Path, rows: list[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


@pytest.mark.parametrize("seed", [1, 2])
def test_five_deliveries_leave_the_records_of_one_run(
    simdup: Command, tmp_path: Path, seed: int
) -> None:
    days = deliveries(seed)
    write_rows(tmp_path / "all.jsonl", [row for rows in days for row in rows])
    asked = ("--id-field", "id", "--removed", "gone.csv")
    assert simdup("dedupe", "all.jsonl", "-o", "clean.jsonl", *asked).status == 0
    written, estimated = b"", 0
    for day, rows in enumerate(days):
        write_rows(tmp_path / f"{day}.jsonl", rows)
        removed = ("--removed", f"gone{day}.csv")
        ran = simdup("dedupe", f"{day}.jsonl", "-o", f"new{day}.jsonl", *OPTIONS, *removed)
        assert ran.status == 0
        new = (tmp_path / f"new{day}.jsonl").read_bytes()
        written += new
        assert f"Added to seen.index: {len(new.splitlines())} documents.\n" in ran.err
        listed = csv.DictReader(io.StringIO((tmp_path / f"gone{day}.csv").read_text()))
        for row in listed:
            earlier = not row["kept"].startswith(f"https://example.org/{day}/")
            assert (row["measure"] == "estimated") == earlier
            estimated += earlier
    assert written == (tmp_path / "clean.jsonl").read_bytes()
    assert estimated > 10
    with Index.open(str(tmp_path / "seen.index")) as index:
        assert len(index) == len(written.splitlines())
        assert index.check() == []


def test_a_run_can_be_repeated(simdup: Command, tmp_path: Path) -> None:
    """Documents do not match what the first run added of them."""
    rows = deliveries(3)[0]
    write_rows(tmp_path / "today.jsonl", rows)
    command = ("dedupe", "today.jsonl", "-o", "new.jsonl", *OPTIONS)
    assert simdup(*command).status == 0
    first = (tmp_path / "new.jsonl").read_bytes()
    ran = simdup(*command, "--force")
    assert (ran.status, (tmp_path / "new.jsonl").read_bytes()) == (0, first)
    assert "known already" in ran.err


def test_every_day_has_the_same_columns(simdup: Command, tmp_path: Path) -> None:
    heads = []
    for day in range(2):
        write_rows(
            tmp_path / "today.jsonl", [{"id": f"{day}{n}", "text": prose(n)} for n in (1, 1)]
        )
        options = (*OPTIONS, "--method", "simhash", "--removed", "gone.csv", "--force")
        ran = simdup("dedupe", "today.jsonl", "-o", "new.jsonl", *options)
        assert ran.status == 0
        heads.append((tmp_path / "gone.csv").read_text().splitlines()[0])
    assert heads[0] == heads[1]
    assert ",measure," in heads[0]


def test_what_was_removed_does_not_stand_for_others(simdup: Command, tmp_path: Path) -> None:
    """Only what stays can stand for others later."""
    page = prose(1)
    far = edited(edited(page, 1, 3), 2, 3)
    write_rows(
        tmp_path / "1.jsonl", [{"id": "a", "text": page}, {"id": "b", "text": edited(page, 1, 3)}]
    )
    write_rows(tmp_path / "2.jsonl", [{"id": "c", "text": far}])
    options = (*OPTIONS, "-s", "0.9")
    assert simdup("dedupe", "1.jsonl", "-o", "o1.jsonl", *options).status == 0
    with Index.open(str(tmp_path / "seen.index")) as index:
        assert [name for name, _ in index.export()] == ["a"]
    assert simdup("dedupe", "2.jsonl", "-o", "o2.jsonl", *options).status == 0
    assert (tmp_path / "o2.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()


def test_without_add_the_index_stays_as_it_is(simdup: Command, tmp_path: Path) -> None:
    days = deliveries(4)
    for day in (0, 1):
        write_rows(tmp_path / f"{day}.jsonl", days[day])
    assert simdup("dedupe", "0.jsonl", "-o", "o0.jsonl", *OPTIONS).status == 0
    before = (tmp_path / "seen.index").read_bytes()
    options = ("--id-field", "id", "--index", "seen.index")
    ran = simdup("dedupe", "1.jsonl", "--dry-run", *options)
    assert ran.status == 0
    assert simdup("dedupe", "1.jsonl", "-o", "o1.jsonl", *options).status == 0
    assert (tmp_path / "seen.index").read_bytes() == before
    stay = {json.loads(line)["id"] for line in (tmp_path / "o1.jsonl").read_bytes().splitlines()}
    gone = {row["document"] for row in csv.DictReader(io.StringIO(ran.text))}
    assert gone == {row["id"] for row in days[1]} - stay


def test_rows_from_python(tmp_path: Path) -> None:
    path = tmp_path / "seen.index"
    days = [[(row["id"], row["text"]) for row in rows] for rows in deliveries(5)]
    together = dedupe([row for rows in days for row in rows]).data
    found = []
    for rows in days:
        cleaned = dedupe(rows, index=path, add=True)
        found += cleaned.data
        assert cleaned.added is not None
        assert cleaned.added.added == len(cleaned.data)
    assert found == together


def test_short_texts_with_other_numbers_stay(simdup: Command, tmp_path: Path) -> None:
    """An index knows their numbers; those with the same ones are redundant."""
    text = "Invoice 2024-0117: your payment of 1250 euros is due on the first of March, please pay."
    other = text.replace("0117", "0118")
    days = [text, other, text.replace("is due", "was due"), other.replace("please", "do")]
    for day, one in enumerate(days):
        write_rows(tmp_path / "r.jsonl", [{"id": f"a{day}", "text": one}])
        ran = simdup("dedupe", "r.jsonl", "-o", f"o{day}.jsonl", *OPTIONS)
        assert ran.status == 0
        assert "simdup: --index" not in ran.err
    write_rows(tmp_path / "w.jsonl", [{"id": "w", "text": WORDS}])
    assert simdup("dedupe", "w.jsonl", "-o", "w1.jsonl", *OPTIONS).status == 0
    write_rows(tmp_path / "w.jsonl", [{"id": "x", "text": WORDS.replace("hear", "learn")}])
    assert simdup("dedupe", "w.jsonl", "-o", "w2.jsonl", *OPTIONS).status == 0
    assert (tmp_path / "w2.jsonl").read_bytes() == b""
    left = [(tmp_path / f"o{day}.jsonl").read_bytes().count(b"\n") for day in range(4)]
    assert left == [1, 1, 0, 0]


def test_files_from_python_that_are_not_written_are_remembered(tmp_path: Path) -> None:
    write(tmp_path / "1", {"a.txt": prose(1), "b.txt": prose(1)})
    cleaned = dedupe(tmp_path / "1", index=tmp_path / "i", add=True)
    assert cleaned.data == [str(tmp_path / "1/a.txt")]
    assert cleaned.added is not None
    assert cleaned.added.added == 1
    with Index.open(str(tmp_path / "i")) as index:
        assert [name for name, _ in index.export()] == cleaned.data


def test_folders(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "1", {"a.txt": prose(1), "b.txt": prose(2), "c.txt": prose(1)})
    write(tmp_path / "2", {"d.txt": prose(2), "e.txt": prose(3), "empty.txt": ""})
    for day in "12":
        assert simdup("dedupe", day, "-o", f"o{day}", "--index", "i", "--add").status == 0
    assert sorted(path.name for path in (tmp_path / "o1").iterdir()) == ["a.txt", "b.txt"]
    assert sorted(path.name for path in (tmp_path / "o2").iterdir()) == ["e.txt", "empty.txt"]
    with Index.open(str(tmp_path / "i")) as index:
        assert [name for name, _ in index.export()] == ["1/a.txt", "1/b.txt", "2/e.txt"]


def test_a_limit_keeps_the_index_too(simdup: Command, tmp_path: Path) -> None:
    write_rows(tmp_path / "r.jsonl", [{"id": str(n), "text": prose(1)} for n in range(9)])
    ran = simdup("dedupe", "r.jsonl", "-o", "out.jsonl", *OPTIONS, "--max-removed", "0.5")
    assert ran.status == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.jsonl"]


def test_names_by_position_are_said_to_replace_others(simdup: Command, tmp_path: Path) -> None:
    for text in (prose(1), prose(2)):
        write_rows(tmp_path / "today.jsonl", [{"text": text}])
        ran = simdup("dedupe", "today.jsonl", "-o", "o.jsonl", "--force", "--index", "i", "--add")
        assert ran.status == 0
    assert "Added to i: 0 documents, 1 replaced an earlier one of the same name." in ran.err


def test_a_mistyped_source_makes_no_index(simdup: Command, tmp_path: Path) -> None:
    ran = simdup("dedupe", "nothing.jsonl", "-o", "out.jsonl", *OPTIONS)
    assert ran.status == 2
    assert list(tmp_path.iterdir()) == []


def test_what_it_cannot_do_is_said(simdup: Command, tmp_path: Path) -> None:
    write_rows(tmp_path / "r.jsonl", [{"id": "a", "text": prose(1)}])
    write(tmp_path, {"no.index": "not an index"})
    for options, said in (
        (("--index", "missing.index"), "missing.index: no such file"),
        (("--index", "no.index"), "no.index: is not a simdup index"),
        (("--add",), "--add: needs an --index"),
        (("--index", "i", "--add", "--annotate"), "--add: is for a corpus that is cleaned"),
        (("--index", "out.jsonl", "--add"), "out.jsonl"),
    ):
        ran = simdup("dedupe", "r.jsonl", "-o", "out.jsonl", *options)
        assert ran.status == 2, options
        assert said in ran.err
        assert not (tmp_path / "out.jsonl").exists()
    ran = simdup("dedupe", "r.jsonl", "--dry-run", "--index", "i", "--add")
    assert "--add writes what --dry-run does not" in ran.err
    with pytest.raises(SimdupError, match="needs an `index`"):
        dedupe([("a", prose(1))], add=True)


def test_an_index_that_cannot_be_written_is_named_after_the_corpus(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import simdup.operations.dedupe as deduping

    write_rows(tmp_path / "r.jsonl", [{"id": "a", "text": prose(1)}])

    def fail(path: str, *_: object) -> None:
        raise SimdupError(path, "no space left on device")

    monkeypatch.setattr(deduping, "remember", fail)
    ran = simdup("dedupe", "r.jsonl", "-o", "out.jsonl", *OPTIONS)
    assert ran.status == 2
    assert "seen.index: no space left on device; the corpus was written" in ran.err
    assert "run it again with --force" in ran.err
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "r.jsonl").read_bytes()


def messages(seed: int) -> list[str]:
    """Short texts and pages: some alone, others with near copies that an estimate may miss."""
    chance = random.Random(seed)
    texts = []
    for n in range(25):
        text = prose(500 * seed + n, chance.choice([40, 60, 90, 400]))
        texts += [text, *(edited(text, chance.randrange(99), chance.randint(1, 3))
                          for _ in range(chance.randint(0, 3)))]  # fmt: skip
    chance.shuffle(texts)
    return texts


@pytest.mark.parametrize("seed", [1, 2])
def test_the_same_delivery_again_has_nothing_new(seed: int, tmp_path: Path) -> None:
    """Under other names, and in another order: what was removed stays removed."""
    texts = messages(seed)
    asked: dict[str, Any] = {"index": tmp_path / "seen.index", "add": True}
    first = dedupe([(f"1-{n}", text) for n, text in enumerate(texts)], **asked)
    assert len(first.removed) > 10
    random.Random(seed).shuffle(texts)
    again = dedupe([(f"2-{n}", text) for n, text in enumerate(texts)], **asked)
    assert again.data == []
    assert again.added is not None
    kept = {one.kept for one in again.removed}
    assert {name.partition("-")[0] for name in kept} == {"1"}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_was_removed_stays_removed_alone(seed: int, tmp_path: Path) -> None:
    """Without the documents beside which it was removed, which the index has."""
    asked: dict[str, Any] = {"index": tmp_path / "seen.index", "add": True}
    texts = messages(seed)
    first = dedupe(list(enumerate(texts)), **asked)
    gone = [texts[one.document] for one in first.removed]
    stays = {str(name) for name, _ in first.data}
    for delivery in (gone, gone[::-1], *([text] for text in gone[:3])):
        again = dedupe([(f"2-{n}", text) for n, text in enumerate(delivery)], **asked)
        assert again.data == []
        assert {one.kept for one in again.removed} <= stays


def test_a_short_near_copy_stays_removed_without_its_document(
    simdup: Command, tmp_path: Path
) -> None:
    near = WORDS.replace("hear", "learn").replace("well", "fine")
    write_rows(tmp_path / "1.jsonl", [{"id": "a", "text": WORDS}, {"id": "b", "text": near}])
    write_rows(tmp_path / "2.jsonl", [{"id": "c", "text": near}])
    rows = []
    for n, day in enumerate("1221"):
        asked = (f"{day}.jsonl", "-o", f"o{n}.jsonl", *OPTIONS, "--removed", "-")
        ran = simdup("dedupe", *asked)
        assert ran.status == 0
        rows.append([row[:6] for row in csv.reader(ran.lines)][1:])
    (figures,) = [row[2:4] for row in rows[0]]
    assert rows[0] == [["b", "near-duplicate", *figures, "a", "edit"]]
    assert rows[1] == rows[2] == [["c", "near-duplicate", *figures, "a", "estimated"]]
    assert rows[3] == [["b", "near-duplicate", *figures, "a", "estimated"]]
    assert [(tmp_path / f"o{n}.jsonl").read_bytes().count(b"\n") for n in range(4)] == [1, 0, 0, 1]
    ran = simdup("query", "seen.index", "2.jsonl", "--id-field", "id", "-f", "csv")
    assert ran.lines[1].startswith(f"c,a,{figures[0]},{figures[1]}")
    ran = simdup("scan", "2.jsonl", "--id-field", "id", "--reference", "seen.index", "-f", "csv")
    assert [line.split(",")[1:3] for line in ran.lines[1:]] == [["kept", "a"], ["redundant", "c"]]
    assert simdup("index", "remove", "seen.index", "a").status == 0
    assert simdup("dedupe", "2.jsonl", "-o", "new.jsonl", *OPTIONS).status == 0
    assert (tmp_path / "new.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()


def test_a_short_text_with_numbers_stays_removed(simdup: Command, tmp_path: Path) -> None:
    """The other one, with another number, stays."""
    text = "Invoice 2024-0117: your payment of 1250 euros is due on the first of March, please pay."
    near = text.replace("is due", "was due")
    write_rows(tmp_path / "1.jsonl", [{"id": "a", "text": text}, {"id": "b", "text": near}])
    other = text.replace("0117", "0118")
    write_rows(tmp_path / "2.jsonl", [{"id": "c", "text": near}, {"id": "d", "text": other}])
    assert simdup("dedupe", "1.jsonl", "-o", "o1.jsonl", *OPTIONS).status == 0
    assert simdup("dedupe", "2.jsonl", "-o", "o2.jsonl", *OPTIONS).status == 0
    assert json.loads((tmp_path / "o2.jsonl").read_bytes())["id"] == "d"
