"""Libraries have the classes that they should, and their truth is what the records say."""

import json
import re
from collections import Counter, defaultdict
from itertools import combinations, pairwise
from pathlib import Path
from random import Random

import pytest

from lab.bench.publications import (
    ALL,
    FORM_PAIRS,
    UNRELATED,
    class_of_works,
    counted,
    forms_of_records,
)
from lab.corpora.citations import (
    ABBREVIATED,
    BLANK,
    COMPLETE,
    FIELDS,
    FORMS,
    MISSING,
    SLOPPY,
    WRITERS,
    Author,
    Journal,
    Record,
    Work,
    cited,
    title_case,
)
from lab.corpora.facts import CHINESE, ENGLISH
from lab.corpora.publications import (
    CLASSES,
    COMMON,
    CONFERENCE,
    EDITION,
    ERRATUM,
    OCCURRENCES,
    PARTS,
    REPLY,
    SAME_TITLE,
    SIBLINGS,
    SUPPLEMENT,
    YEARLY,
    Library,
    library,
    title_key,
)

COUNT = 1100


@pytest.fixture(scope="module")
def made() -> Library:
    return library(COUNT)


def groups(made: Library, kind: str) -> list[list[Work]]:
    found = defaultdict[int, list[Work]](list)
    for work in made.works:
        if work.kind == kind:
            found[work.group].append(work)
    return [*found.values()]


def test_a_seed_makes_the_same_library(made: Library) -> None:
    assert library(COUNT) == made
    other = library(COUNT, 72)
    assert other.works != made.works
    assert other.records != made.records


def test_classes_have_their_shares(made: Library) -> None:
    assert sum(share for share, _ in CLASSES.values()) == pytest.approx(1)
    counts = Counter(work.kind for work in made.works)
    for kind, (share, size) in CLASSES.items():
        assert abs(counts[kind] - share * COUNT) <= size
        assert {len(group) for group in groups(made, kind)} == {size}
    assert abs(len(made.works) - COUNT) <= 5
    languages = Counter(work.language for work in made.works)
    assert languages[CHINESE] / len(made.works) == pytest.approx(1 / 3, abs=0.02)
    assert languages[ENGLISH] + languages[CHINESE] == len(made.works)


def test_works_occur_as_often_as_they_should(made: Library) -> None:
    assert 1900 <= len(made.records) <= 2100
    times = Counter(Counter(one.work for one in made.records).values())
    assert sum(times.values()) == len(made.works)
    for number, share in enumerate(OCCURRENCES, 1):
        # The works of one class occur twice at least.
        assert times[number] / len(made.works) == pytest.approx(share, abs=0.01)
    forms = Counter(one.form for one in made.records)
    assert all(0.25 < forms[form] / len(made.records) < 0.42 for form in FORMS)


def test_the_truth_is_all_pairs_of_one_work(made: Library) -> None:
    works = {one.id: one.work for one in made.records}
    assert len(works) == len(made.records)
    assert made.pairs == {(a, b) for a, b in combinations(sorted(works), 2) if works[a] == works[b]}


def test_unrelated_works_differ_in_title_or_authors(made: Library) -> None:
    known = dict[tuple[object, ...], Work]()
    for work in made.works:
        # Nobody wrote an editorial: only its place says which one it is.
        if not work.authors:
            continue
        key = title_key(work.title), work.authors
        other = known.setdefault(key, work)
        assert other is work or other.group == work.group
    places = {(work.journal, work.volume, work.first, work.last, work.year, work.authors,
               work.title) for work in made.works}  # fmt: skip
    assert len(places) == len(made.works)
    assert len({work.doi for work in made.works}) == sum(bool(work.doi) for work in made.works) + 1


def test_unrelated_titles_are_not_near(made: Library) -> None:
    def grams(title: str) -> set[str]:
        key = title_key(title)
        return {key[i : i + 3] for i in range(len(key) - 2)}

    # Reports have titles of one form, and what letters add to a title makes it no nearer.
    some = [
        (work.group, grams(work.title))
        for work in made.works
        if work.kind not in (COMMON, SAME_TITLE, YEARLY, EDITION)
    ]
    for (group, one), (other_group, other) in combinations(some, 2):
        if group != other_group:
            assert len(one & other) <= 0.65 * len(one | other)


def test_groups_are_what_they_say(made: Library) -> None:
    for works in groups(made, SIBLINGS):
        assert len({title_key(work.title) for work in works}) == len(works)
    for first, second in groups(made, PARTS):
        assert first.authors == second.authors
        assert first.journal == second.journal
        assert 0 <= second.year - first.year <= 1
        assert title_key(first.title) != title_key(second.title)
    for works in groups(made, YEARLY):
        assert len({work.authors for work in works}) == 1
        for one, other in pairwise(works):
            assert (other.year, int(other.volume)) == (one.year + 1, int(one.volume) + 1)
            assert title_key(one.title) == title_key(other.title) or str(other.year) in other.title
    for article, abstract in groups(made, CONFERENCE):
        assert (article.title, article.authors) == (abstract.title, abstract.authors)
        assert article.doi != abstract.doi
        assert article.doi
        assert abstract.doi
        assert article.year != abstract.year
        assert article.first != abstract.first
    for article, erratum in groups(made, ERRATUM):
        assert article.title in erratum.title != article.title
        assert article.authors == erratum.authors
    for one, other in groups(made, SAME_TITLE):
        assert one.title == other.title
        assert set(one.authors).isdisjoint(other.authors)
    for article, letter, reply in groups(made, REPLY):
        assert article.title in letter.title
        assert article.title in reply.title
        assert article.authors == reply.authors != letter.authors
    for first, second in groups(made, EDITION):
        assert second.title.startswith(first.title)
        assert second.year > first.year


def test_half_of_the_reports_have_no_year_in_the_title() -> None:
    works = [works for seed in range(6) for works in groups(library(COUNT, seed), YEARLY)]
    bare = [group for group in works if len({work.title for work in group}) == 1]
    assert len(bare) / len(works) == pytest.approx(0.5, abs=0.12)
    same = [group for group in bare if len({work.last for work in group}) == 1]
    assert len(same) / len(bare) == pytest.approx(0.33, abs=0.15)


def test_a_supplement_is_the_same_work(made: Library) -> None:
    numbers = {work.number: work for work in made.works if work.kind == SUPPLEMENT}
    counts = Counter(one.work for one in made.records if one.work in numbers)
    assert set(counts) == set(numbers)
    assert min(counts.values()) >= 2
    for one in made.records:
        if one.work in numbers and re.search(r"\bS\d", one.fields.get("pages", "")):
            assert "doi" not in one.fields


# -- forms --


def test_fields_are_missing_as_often_as_they_should(made: Library) -> None:
    for form in FORMS:
        records = [one for one in made.records if one.form == form]
        works = [made.works[one.work] for one in records]
        had = {
            "authors": [bool(work.authors) for work in works],
            "year": [bool(work.year) for work in works],
            "journal": [bool(work.journal.full) for work in works],
            "pages": [bool(work.first) for work in works],
            "abstract": [bool(work.abstract) for work in works],
        }
        for name, known in had.items():
            kept = [name in one.fields or (name == "authors" and bool(one.authors))
                    for one in records]  # fmt: skip
            assert all(has for has, is_kept in zip(known, kept, strict=True) if is_kept)
            missing = 1 - sum(kept) / sum(known)
            assert missing == pytest.approx(MISSING[form].get(name, 0), abs=0.05)


def test_every_record_can_be_identified(made: Library) -> None:
    for one in made.records:
        work = made.works[one.work]
        names = {"year", "journal", "pages", "doi"} & one.fields.keys()
        assert one.fields["title"].strip()
        assert len(names) + bool(one.authors) >= 2 or work.kind == YEARLY
        if work.kind == YEARLY:
            assert {"year", "volume"} & one.fields.keys()


WORK = BLANK._replace(
    title="Effects of zinc on β-blockers in adults: a trial",
    authors=(
        Author("Müller", "Jean-Luc A."),
        Author("Meer", "Anna", "van der"),
        Author("Wang", "Xiao-ming", "", "王小明"),
    ),
    journal=Journal("The Journal of Zinc & Care", "J. Zinc Care"),
    year=2018, volume="12", issue="3", first="1234", last="1241", doi="10.9999/a.b",
    abstract="One. Two. Three. Four.",
)  # fmt: skip


def cites(form: str, work: Work = WORK) -> list[tuple[tuple[str, ...], dict[str, str]]]:
    return [cited(work, form, Random(seed)) for seed in range(400)]


def test_the_complete_form_has_all() -> None:
    for authors, fields in cites(COMPLETE):
        assert authors == ("Müller, Jean-Luc A.", "van der Meer, Anna", "Wang, Xiaoming")
        assert list(fields) == [name for name in FIELDS if name != "authors"]
        assert fields["title"] == "Effects of Zinc on β-Blockers in Adults: A Trial"
        assert fields["pages"] == "1234-1241"
        assert fields["journal"] == WORK.journal.full
    assert {fields["abstract"] for _, fields in cites(COMPLETE)} == {
        WORK.abstract, "BACKGROUND: One. METHODS: Two. Three. CONCLUSIONS: Four."
    }  # fmt: skip


def test_the_abbreviated_form_shortens() -> None:
    found = cites(ABBREVIATED)
    assert {authors[0] for authors, _ in found} == {
        "Müller, J.-L. A.", "J.-L.A. Müller", "Müller JLA", "Müller J.-L.A."
    }  # fmt: skip
    assert {fields["pages"] for _, fields in found} == {"1234-41"}
    assert {fields["journal"] for _, fields in found} == {"J. Zinc Care", "J Zinc Care"}
    dois = Counter(fields.get("doi", "") for _, fields in found)
    assert set(dois) == {"", "10.9999/a.b", "https://doi.org/10.9999/a.b", "10.9999/A.B"}
    assert dois[""] / len(found) == pytest.approx(0.3, abs=0.07)
    upper = sum(fields["title"].isupper() for _, fields in found)
    assert upper / len(found) == pytest.approx(0.2, abs=0.06)


def test_the_sloppy_form_varies() -> None:
    found = cites(SLOPPY)
    titles = {fields["title"] for _, fields in found}
    assert any(" - " in title for title in titles)
    assert any(title.islower() for title in titles)
    assert any("beta" in title for title in titles)
    names = {authors[0] for authors, _ in found if authors}
    assert {"Jean-Luc A. Müller", "Jean-Luc Muller", "M?ller JL"} <= names
    early = sum(fields.get("year") == "2017" for _, fields in found)
    assert early / len(found) == pytest.approx(0.1, abs=0.05)
    pages = {fields.get("pages") for _, fields in found}
    assert {None, "1234", "pp. 1234-1241", "1234–1241", "1234--1241"} <= pages
    many = WORK._replace(authors=WORK.authors * 2)
    assert any(authors[3:] == ("et al.",) for authors, _ in cites(SLOPPY, many))


def test_chinese_works_have_chinese_names() -> None:
    work = WORK._replace(language=CHINESE, title="锌的研究：一个试验", authors=WORK.authors[2:])
    assert {authors for authors, _ in cites(COMPLETE, work)} == {("王小明",)}
    pinyin = sum(authors[0] != "王小明" for authors, _ in cites(ABBREVIATED, work))
    assert pinyin / 400 == pytest.approx(0.06, abs=0.04)


def test_titles_have_capitals() -> None:
    assert title_case("the use of RISC-V in Zürich: a ‘new’ way (2nd ed.)") == (
        "The Use of RISC-V in Zürich: A ‘New’ Way (2nd Ed.)"
    )


# -- files --


@pytest.fixture
def three() -> list[Record]:
    fields = {"title": "Zinc & “care”", "year": "2018", "pages": "1234-1241"}
    return [
        Record("r1", COMPLETE, 0, False, ("Müller, Anna", "Nguyễn, Bo"), fields),
        Record("r2", ABBREVIATED, 0, False, ("Müller A",), {**fields, "journal": "J. Zinc"}),
        Record("r3", SLOPPY, 0, True, ("Zinc Care Board",), {"title": "Zinc"}),
    ]


def test_json_lines_lack_values_in_three_ways(three: list[Record], tmp_path: Path) -> None:
    lines = WRITERS["jsonl"](three, tmp_path / "a.jsonl").read_text("utf-8").splitlines()
    one, two, last = map(json.loads, lines)
    assert one == {
        "id": "r1", "title": "Zinc & “care”", "authors": "Müller, Anna; Nguyễn, Bo",
        "year": 2018, "pages": "1234-1241",
    }  # fmt: skip
    assert (two["year"], two["doi"], two["journal"]) == ("2018", None, "J. Zinc")
    assert (last["year"], last["authors"]) == ("", "Zinc Care Board")


def test_bibtex_has_entries(three: list[Record], tmp_path: Path) -> None:
    entries = WRITERS["bib"](three, tmp_path / "a.bib").read_text("utf-8").split("\n\n")
    assert entries[0] == (
        "@misc{r1,\n  title = {Zinc \\& “care”},\n  author = {Müller, Anna and Nguyễn, Bo},\n"
        "  year = {2018},\n  pages = {1234--1241},\n}"
    )
    assert entries[1].startswith("@article{r2,\n  title = \"Zinc \\& ``care''\",\n")
    assert 'author = "M{\\"u}ller A"' in entries[1]
    assert "author = {{Zinc Care Board}}" in entries[2]


def test_ris_has_tags(three: list[Record], tmp_path: Path) -> None:
    records = WRITERS["ris"](three, tmp_path / "a.ris").read_text("utf-8").split("\n\n")
    assert records[0].splitlines() == [
        "TY  - GEN", "ID  - r1", "AU  - Müller, Anna", "AU  - Nguyễn, Bo",
        "TI  - Zinc & “care”", "PY  - 2018/03/15", "SP  - 1234", "EP  - 1241", "ER  - ",
    ]  # fmt: skip
    assert "JO  - J. Zinc" in records[1]
    assert records[2].splitlines()[2:4] == ["A1  - Zinc Care Board", "T1  - Zinc"]


@pytest.mark.parametrize("suffix", WRITERS)
def test_files_have_all_records(made: Library, suffix: str, tmp_path: Path) -> None:
    text = WRITERS[suffix](made.records, tmp_path / "records").read_text("utf-8")
    begin = {"jsonl": r'^\{"id": "(r\d+)"', "bib": r"^@\w+\{(r\d+),", "ris": r"^ID  - (r\d+)$"}
    found = re.findall(begin[suffix], text, re.MULTILINE)
    assert found == [one.id for one in made.records]
    if suffix == "bib":
        bare = re.sub(r"\\[&%$#_]", "", text)
        assert bare.count("{") == bare.count("}")


# -- what is counted --


def test_lost_and_wrong_pairs_are_counted_by_class() -> None:
    small = library(150)
    records = defaultdict[int, list[str]](list)
    for one in small.records:
        records[one.work].append(one.id)
    (first, second), *_ = groups(small, PARTS)
    others = [group[0] for group in groups(small, SIBLINGS)[:2]]
    lost = next(pair for pair in small.pairs if works_of(small, pair)[0].kind == ERRATUM)
    wrong = {
        tuple(sorted((records[a.number][0], records[b.number][0])))
        for a, b in ((first, second), others)
    }
    found = (small.pairs - {lost}) | wrong
    rows = {row["pairs"]: row for row in counted({1: small}, {1: found}, CLASSES, class_of_works)}
    assert (rows[ERRATUM]["lost"], rows[ERRATUM]["wrong"]) == (1, 0)
    assert (rows[PARTS]["lost"], rows[PARTS]["wrong"]) == (0, 1)
    assert rows[ALL] == {"pairs": ALL, "true": len(small.pairs), "lost": 1, "wrong": 2}
    (row, _) = counted({1: small}, {1: found}, [UNRELATED], class_of_works)
    assert row == {"pairs": UNRELATED, "true": 0, "lost": 0, "wrong": 1}


def works_of(made: Library, pair: tuple[str, str]) -> list[Work]:
    by_id = {one.id: made.works[one.work] for one in made.records}
    return [by_id[one] for one in pair]


def test_pairs_have_forms() -> None:
    small = library(150)
    of = forms_of_records(small)
    assert {of(pair) for pair in small.pairs} == set(FORM_PAIRS)
    forms = {one.id: one.form for one in small.records}
    for pair in small.pairs:
        assert sorted(of(pair).split(", ")) == sorted(forms[one] for one in pair)
