"""Copies that contradict each other: who says what, and what does not count."""

import os
import random
from collections.abc import Iterable
from itertools import permutations
from math import isnan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.corpora.made import prose, write
from simdup import ConflictScope, SimdupError, compare, conflicts
from simdup.model.readings import Conflict, ConflictResult

ENGLISH = (
    "Keep the solution in the dark, and give {} twice a day, always together with a meal. "
    "Wash your hands before you open the bottle, and write down when you opened it. "
)
PLAIN = ENGLISH.format("it")
CHINESE = (
    "本药房为住院病人配药，每次{}，饭后服用，服药期间请勿饮酒，如有不适立即告诉护士，并记在表上。"
)


def pages(values: Iterable[str], passage: str = ENGLISH) -> list[tuple[str, str]]:
    """Pages of their own with a passage, in which each has a value."""
    return [
        (f"{n}", f"{prose(n, 30)}\n\n{passage.format(value)}\n\n{prose(1000 + n, 30)}")
        for n, value in enumerate(values)
    ]


def said(found: ConflictResult | Iterable[Conflict]) -> list[tuple[str, dict[str, int]]]:
    """The kind of each conflict, and how many documents have which value."""
    each = found.conflicts if isinstance(found, ConflictResult) else found
    return [(one.kind, {r.value: len(r.documents) for r in one.readings}) for one in each]


def test_the_odd_one_out_comes_first() -> None:
    found = conflicts(pages(["10 mg"] * 4 + ["20 mg"] + ["10 mg"] * 5))
    assert said(found) == [("amount", {"20 mg": 1, "10 mg": 9})]
    [one] = found.conflicts
    assert [place.document for place in one.readings[0].documents] == ["4"]
    assert one.before.endswith("and give")
    assert one.after.startswith("twice a day")
    texts = dict(pages(["10 mg"] * 4 + ["20 mg"] + ["10 mg"] * 5))
    for reading in one.readings:
        for place in reading.documents:
            text = texts[place.document]
            assert text[place.start : place.end] == reading.value
            assert place.line == text[: place.start].count("\n") + 1
    assert (found.summary.documents, found.summary.conflicts, found.summary.affected) == (10, 1, 10)


@pytest.mark.parametrize(
    ("kind", "a", "b", "passage"),
    [
        ("amount", "10 mg", "20 mg", ENGLISH),
        ("amount", "二十毫克", "30 mg", CHINESE),
        ("number", "two", "three", ENGLISH),
        ("number", "一千二百", "1,300", CHINESE),
        ("date", "it on 2024-05-01 and", "it on May 2, 2024 and", ENGLISH),
        ("date", "2024年5月1日起", "2024年5月2日起", CHINESE),
        ("time", "it at 9:00 and", "it at 9:30 and", ENGLISH),
        ("time", "上午九点", "上午十点", CHINESE),
        ("percent", "5%", "6 percent", ENGLISH),
        ("percent", "百分之五", "百分之六", CHINESE),
        ("version", "version 1.2.3", "version 1.2.4", ENGLISH),
        ("code", "AB-1234", "AB-1243", ENGLISH),
        ("address", "https://example.org/a", "https://example.org/b", ENGLISH),
        ("address", "a@example.org", "b@example.org", ENGLISH),
        ("negation", "it may be taken", "it must not be taken", ENGLISH),
        ("negation", "可以外带", "不得外带", CHINESE),
    ],
)
def test_every_kind_is_found(kind: str, a: str, b: str, passage: str) -> None:
    found = conflicts(pages([a, b, a], passage))
    assert [(k, sorted(values.values())) for k, values in said(found)] == [(kind, [1, 2])]


@pytest.mark.parametrize(
    ("a", "b", "passage"),
    [
        ("20 mg", "twenty milligrams", ENGLISH),
        ("二十毫克", "20mg", CHINESE),
        ("1,000", "1000", ENGLISH),
        ("２０", "20", CHINESE),
        ("2024年5月1日", "2024-05-01", CHINESE),
        ("2024-05-01", "May 1, 2024", ENGLISH),
        ("上午九点", "9:00", CHINESE),
        ("5%", "百分之五", CHINESE),
        ("V1.2.3", "version 1.2.3", ENGLISH),
        ("https://Example.org/a/", "https://example.org/a", ENGLISH),
        # What only one of them says is no contradiction.
        ("10 mg of it", "it", ENGLISH),
        ("", "on 2024-05-01 and 2024-05-03", ENGLISH),
        # Other words are no facts, and with other words it is something else.
        ("all of it", "some of it", ENGLISH),
        ("10 mg of the powder in water", "20 mg as an injection by a nurse", ENGLISH),
    ],
)
def test_what_is_no_conflict(a: str, b: str, passage: str) -> None:
    assert said(conflicts(pages([a, b, a], passage))) == []


def test_what_two_versions_say_is_at_its_place_in_each() -> None:
    for head in ("", "Ward. "):
        a, b = head + ENGLISH.format("10 mg"), ENGLISH.format("20 mg") + head
        (fact,) = compare(a, b).facts
        assert (fact.kind, fact.a, fact.b) == ("amount", "10 mg", "20 mg")
        assert (a[slice(*fact.at_a)], b[slice(*fact.at_b)]) == (fact.a, fact.b)


def test_names_of_markup_beside_a_value_are_no_facts() -> None:
    passage = ENGLISH.replace("{}", '<b id="dose-7">{}</b>')
    assert said(conflicts(pages(["10 mg", "20 mg", "10 mg"], passage))) == [
        ("amount", {"20 mg": 1, "10 mg": 2})
    ]


def test_numbers_of_articles_and_lists_are_places() -> None:
    article = (
        "第{}条　申请人应当在收到通知之后向主管部门提交材料，逾期不交的视为放弃申请，"
        "主管部门另行通知其他申请人。"
    )
    assert said(conflicts(pages(["三", "五", "三"], article))) == []
    step = (
        "Write down when you opened it.\n{}. Keep the solution in the dark, and always give it "
        "together with a meal. Wash your hands before you open the bottle."
    )
    assert said(conflicts(pages(["2", "3", "2"], step))) == []


def test_a_path_in_a_link_is_no_fact_and_what_is_beside_it_is_one() -> None:
    link = "[the solution]({}.md)"
    keep = ENGLISH.replace("the solution", link.format("{0}")).replace("{} twice", "it twice")
    assert said(conflicts(pages(["v1.2.3", "v1.2.4", "v1.2.3"], keep))) == []
    for passage in (
        ENGLISH.replace("give {}", f"of {link.format('notes')} give {{}}"),
        ENGLISH.replace("{} twice", f"{{}} of {link.format('notes')} twice"),
    ):
        found = said(conflicts(pages(["10 mg", "20 mg", "10 mg"], passage)))
        assert found == [("amount", {"20 mg": 1, "10 mg": 2})]


OTHERS = ("10 mg", "10 mg", "20 mg")


@pytest.mark.parametrize(
    "first",
    [
        "",
        "it",
        "as much as the doctor or the nurse of the ward says",
        "10 mg or 30 ml",
        "2 tablets",
    ],
)
@pytest.mark.parametrize("passage", [ENGLISH, CHINESE])
def test_what_the_first_page_has_there_does_not_matter(first: str, passage: str) -> None:
    made = pages([first, *OTHERS], passage)
    for order in permutations(made):
        values = [found[1] for found in said(conflicts(order))]
        assert len(values) == 1
        assert {"10 mg": 2, "20 mg": 1}.items() <= values[0].items()


def test_what_the_first_page_is_about_does_not_matter() -> None:
    codes = pages(["ab-12", "ab-12", "ab-12", "ab-13"])
    codes[0] = ("0", f"# The rule ab-12\n\n{codes[0][1]}")
    doses = pages(["10 mg", *OTHERS])
    doses[0] = ("0", f"---\ntitle: Doses\nsummary: {ENGLISH.format('10 mg')}\n---\n\n{prose(7)}")
    for made, kind, a, b in ((codes, "code", "ab-12", "ab-13"), (doses, "amount", *OTHERS[1:])):
        for order in permutations(made):
            assert said(conflicts(order)) == [(kind, {a: 2, b: 1})]


def test_copies_of_a_copy_that_lacks_several_things_are_compared() -> None:
    rule = ENGLISH + "It is kept for {} weeks, and then given back to the house that sent it. "
    made = [("a", rule.format("it", "some")), ("b", rule.format("10 mg", "four")),
            ("c", rule.format("10 mg", "five"))]  # fmt: skip
    for order in permutations(made):
        assert said(conflicts(order)) == [("amount", {"four weeks": 1, "five weeks": 1})]


def test_front_matter_is_about_the_page() -> None:
    matter = (
        "---\ntitle: Storage of the solution in the pharmacy of the hospital\nauthor: the ward\n"
        "date: {}\ntopic: how to store the solution\nkeywords: dark, cool, dry\n---\n\n"
    )
    texts = [(f"{n}", matter.format(f"2024-05-0{n}") + ENGLISH) for n in (1, 2, 3)]
    assert said(conflicts(texts)) == []
    texts = [(f"{n}", matter[4:].format(f"2024-05-0{n}") + ENGLISH) for n in (1, 2, 3)]
    assert len(said(conflicts(texts))) == 1


def test_a_code_in_the_title_says_what_the_page_is_about() -> None:
    rule = "The rule {} is about light: " + ENGLISH.format("10 mg")
    pages_of = {name: rule.format(name) for name in ("ab-12", "ab-13")}
    titled = [(name, f"# {name}\n\n{text}") for name, text in pages_of.items()]
    assert said(conflicts(titled)) == []
    same = [(name, f"# Light\n\n{prose(1, 20)}\n{text}") for name, text in pages_of.items()]
    assert said(conflicts(same)) == [("code", {"ab-12": 1, "ab-13": 1})]
    # The title is that of a scan: below a line that all pages have, or in front matter.
    for head in ("Docs | Help\n\n# {}: light\n\n", '---\ntitle: "{}: light"\n---\n\nDocs\n\n'):
        titled = [(name, head.format(name.upper()) + text) for name, text in pages_of.items()]
        assert said(conflicts(titled)) == []
    # A paragraph is no title, and neither is a text of one line.
    paragraphs = [
        (name, f"To everyone in this house: {text}\n\n{prose(2)}")
        for name, text in pages_of.items()
    ]
    assert said(conflicts(paragraphs)) == [("code", {"ab-12": 1, "ab-13": 1})]
    assert said(conflicts([(name, prose(1, 20).replace("\n", "") + text)
                           for name, text in pages_of.items()])) == [
        ("code", {"ab-12": 1, "ab-13": 1})
    ]  # fmt: skip


def test_a_form_that_each_fills_in_is_no_conflict() -> None:
    assert said(conflicts(pages([f"{n} mg" for n in range(10, 20)]))) == []
    assert said(conflicts(pages(["10 mg", "20 mg", "30 mg"]))) == [
        ("amount", {"10 mg": 1, "20 mg": 1, "30 mg": 1})
    ]
    found = conflicts(pages([*["10 mg"] * 4, *(f"{n} mg" for n in range(11, 16))]))
    assert (said(found), found.summary.forms, found.summary.affected) == ([], 1, 0)
    [form] = said(found.forms)
    assert form == ("amount", {"10 mg": 4} | {f"{n} mg": 1 for n in range(11, 16)})


@given(st.integers(3, 9), st.integers(0, 9))
def test_where_one_value_leads_the_others_contradict_it(leading: int, others: int) -> None:
    wrong = [f"{n} mg" for n in range(20, 20 + min(others, leading))]
    found = conflicts(pages(["10 mg"] * leading + wrong))
    assert said(found) == (
        [("amount", {**dict.fromkeys(wrong, 1), "10 mg": leading})] * bool(wrong)
    )
    assert found.forms == ()


def test_beside_a_reference_nothing_is_a_form(tmp_path: Path) -> None:
    values = [f"{n} mg" for n in range(10, 20)]
    write(tmp_path / "pages", {f"{name}.md": text for name, text in pages(values)})
    write(tmp_path / "reference", {"r.md": ENGLISH.format("30 mg")})
    found = conflicts(str(tmp_path / "pages"), references=str(tmp_path / "reference"))
    assert said(found) == [("amount", {"30 mg": 1} | dict.fromkeys(values, 1))]
    assert found.forms == ()


def test_what_is_stripped_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, {f"{n}.md": f"Rev {n}\r\n{ENGLISH.format(f'{n} mg')}\r\n" for n in (10, 20)})
    [one] = conflicts(str(tmp_path), scope=ConflictScope(strip=r"^Rev .*$")).conflicts
    assert said([one]) == [("amount", {"10 mg": 1, "20 mg": 1})]
    for reading in one.readings:
        [place] = reading.documents
        text = Path(place.document).read_bytes().decode()
        assert (text[place.start : place.end], place.line) == (reading.value, 2)
    found = conflicts(str(tmp_path), scope=ConflictScope(strip=(r"\d+ mg", "nothing")))
    assert said(found) == []
    assert found.notes == (("`strip`", "nothing matches 'nothing'"),)


def test_code_is_read_if_asked_for(tmp_path: Path) -> None:
    text = f"# A page\n\n```text\n{{}}\n```\n\n{PLAIN}\n"
    write(tmp_path, {f"{n}.md": text.format(ENGLISH.format(f"{n} mg")) for n in (10, 20)})
    assert said(conflicts(str(tmp_path))) == []
    found = conflicts(str(tmp_path), scope=ConflictScope(code=True))
    assert said(found) == [("amount", {"10 mg": 1, "20 mg": 1})]


def test_a_list_of_values_contradicts_nothing() -> None:
    both = ENGLISH.format("10 mg") + prose(77, 30) + ENGLISH.format("20 mg")
    assert said(conflicts([("both", both), *pages(["10 mg", "20 mg", "10 mg"])])) == [
        ("amount", {"20 mg": 1, "10 mg": 2})
    ]
    assert said(conflicts([("both", both), *pages(["10 mg", "10 mg"])])) == []


def test_copies_of_a_whole_text_count() -> None:
    one, other = (text for _, text in pages(["10 mg", "20 mg"]))
    found = conflicts([("a", one), ("b", one.upper()), ("c", one), ("d", other)])
    assert said(found) == [("amount", {"20 mg": 1, "10 mg": 3})]
    texts = {"a": one, "b": one.upper(), "c": one, "d": other}
    for reading in found.conflicts[0].readings:
        for place in reading.documents:
            assert texts[place.document][place.start : place.end].lower() == reading.value


def test_facts_near_each_other_are_conflicts_of_their_own() -> None:
    found = conflicts(pages(["10 mg in 2 spoons", "20 mg in 3 spoons", "10 mg in 2 spoons"]))
    assert said(found) == [
        ("amount", {"20 mg": 1, "10 mg": 2}),
        ("number", {"3": 1, "2": 2}),
    ]


def test_kinds_and_wording() -> None:
    made = pages(["10 mg of it", "20 mg of it", "10 mg of it"])
    assert said(conflicts(made, kinds=("date", "number"))) == []
    for kinds in (("amount",), "amount", ["amount"]):
        assert said(conflicts(made, kinds=kinds)) == [("amount", {"20 mg": 1, "10 mg": 2})]
    words = pages(["all of it", "some of it", "all of it"])
    assert said(conflicts(words, kinds=("wording",))) == [("wording", {"some": 1, "all": 2})]


def test_a_file_without_a_term_is_an_error(tmp_path: Path) -> None:
    for text in ("", "\ufeff# drugs\n \n#\n"):
        write(tmp_path, {"terms.txt": text})
        with pytest.raises(SimdupError, match="has no term"):
            conflicts([], scope=ConflictScope(terms=str(tmp_path / "terms.txt")))


def test_terms_are_facts(tmp_path: Path) -> None:
    made = pages(["aspirin", "Ibuprofen", "ASPIRIN"])
    assert said(conflicts(made)) == []
    write(tmp_path, {"terms.txt": "# drugs\naspirin\n\nibuprofen\n"})
    scope = ConflictScope(terms=str(tmp_path / "terms.txt"))
    assert said(conflicts(made, scope=scope)) == [("term", {"Ibuprofen": 1, "aspirin": 2})]
    write(tmp_path, {"terms.txt": "阿司匹林\n布洛芬缓释片\n"})
    made = pages(["阿司匹林", "布洛芬缓释片", "阿司匹林"], CHINESE)
    assert said(conflicts(made, scope=scope)) == [("term", {"布洛芬缓释片": 1, "阿司匹林": 2})]


def test_what_is_compared_with_what(tmp_path: Path) -> None:
    texts = [text for _, text in pages(["10 mg", "20 mg", "10 mg", "20 mg"])]
    write(tmp_path, {"a/1.md": texts[0], "a/2.md": texts[1], "b/1.md": texts[2]})
    source = str(tmp_path)

    def names(found: ConflictResult) -> list[list[str]]:
        return [
            sorted(str(p.document)[len(source) + 1 :] for r in one.readings for p in r.documents)
            for one in found.conflicts
        ]

    assert names(conflicts(source)) == [["a/1.md", "a/2.md", "b/1.md"]]
    within = conflicts(source, scope=ConflictScope(same="folder"))
    assert names(within) == [["a/1.md", "a/2.md"]]
    across = conflicts(source, scope=ConflictScope(across="folder"))
    assert names(across) == [["a/2.md", "b/1.md"]]
    against = conflicts(f"{source}/a", references=f"{source}/b")
    assert names(against) == [["a/2.md", "b/1.md"]]
    assert names(conflicts(f"{source}/b", references=f"{source}/a/1.md")) == []


def test_new_files_are_known_by_their_time(tmp_path: Path) -> None:
    texts = [text for _, text in pages(["10 mg", "20 mg"])]
    write(tmp_path, {"old.md": texts[0], "new.md": texts[1]})
    os.utime(tmp_path / "old.md", (1e9, 1e9))
    os.utime(tmp_path / "new.md", (1.5e9, 1.5e9))
    [one] = conflicts(str(tmp_path)).conflicts
    assert {r.value: r.modified for r in one.readings} == {"10 mg": 1e9, "20 mg": 1.5e9}
    assert one.modified == 1.5e9
    [one] = conflicts(pages(["10 mg", "20 mg"])).conflicts
    assert isnan(one.modified)


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(SimdupError, match="context"):
        conflicts([], context=3)
    with pytest.raises(SimdupError, match="kinds"):
        conflicts([], kinds=("dates",))
    with pytest.raises(SimdupError, match="kinds"):
        conflicts([], kinds=())
    assert conflicts([]).conflicts == ()


def test_context_is_how_much_is_equal() -> None:
    # Eleven units are between the amounts, seventeen before them.
    made = pages(["10 mg of it, or in summer 30 mg", "20 mg of it, or in summer 40 mg"])
    for context in (4, 8, 16):
        assert len(conflicts(made, context=context)) == 2
    assert len(conflicts(made, context=18)) == 0


@given(st.lists(st.sampled_from([10, 20, 30]), min_size=2, max_size=9), st.integers(0, 10**6))
def test_each_family_is_one_conflict_with_the_right_counts(values: list[int], seed: int) -> None:
    chance = random.Random(seed)
    spelled = [chance.choice([f"{v} mg", f"{v}mg", f"{v} milligrams"]) for v in values]
    made = pages(spelled)
    chance.shuffle(made)
    found = conflicts(made)
    if len(set(values)) == 1:
        assert said(found) == []
        return
    [one] = found.conflicts
    counts = sorted(len(r.documents) for r in one.readings)
    assert counts == sorted(values.count(v) for v in set(values))
    for reading in one.readings:
        assert len({values[int(place.document)] for place in reading.documents}) == 1


def test_the_order_and_the_processes_do_not_matter() -> None:
    made = [
        (f"{name} {n}", text)
        for n, passage in enumerate((ENGLISH, CHINESE))
        for name, text in pages(["10 mg", "20 mg", "30 mg", "10 mg"], passage)
    ]

    def facts(found: ConflictResult) -> list[tuple[str, list[tuple[str, list[str]]]]]:
        return sorted(
            (
                one.kind,
                sorted(
                    (r.value, sorted(str(p.document) for p in r.documents)) for r in one.readings
                ),
            )
            for one in found.conflicts
        )

    expected = facts(conflicts(made))
    assert len(expected) == 2
    for seed in range(3):
        random.Random(seed).shuffle(made)
        assert facts(conflicts(made, jobs=2)) == expected


@pytest.mark.parametrize("passage", ["{0} " + PLAIN, "Give {0} " + PLAIN, PLAIN + "{0}"])
@pytest.mark.parametrize("around", [("", ""), ("\n", "\n"), ("A page.\n\n", "\n\nThe end.")])
def test_a_text_may_begin_or_end_with_a_conflict(passage: str, around: tuple[str, str]) -> None:
    values = ["10 mg", "20 mg", "10 mg"]
    texts = [(f"{n}", passage.format(value).join(around)) for n, value in enumerate(values)]
    assert said(conflicts(texts)) == [("amount", {"20 mg": 1, "10 mg": 2})]


def test_a_title_ends_where_its_line_ends() -> None:
    # A line of a Chinese text goes on in the next one; a title does not.
    passage = CHINESE.replace("每次{}", "按照单据{}")
    texts = [(value, f"住院药房配药须知\n{passage.format(value)}") for value in ("AB-12", "AB-21")]
    assert said(conflicts(texts)) == [("code", {"AB-12": 1, "AB-21": 1})]
    texts = [(value, f"单据{value}\n{text}") for value, text in texts]
    assert said(conflicts(texts)) == []


def test_line_ends_do_not_matter() -> None:
    matter = (
        "---\ntitle: Storage of the solution in the pharmacy of the hospital\nauthor: the ward\n"
        "date: {}\ntopic: how to store the solution\nkeywords: dark, cool, dry\n---\n\n"
    )
    texts = [(f"{n}", matter.format(f"2024-05-0{n}") + ENGLISH) for n in (1, 2, 3)]
    assert said(conflicts([(n, text.replace("\n", "\r\n")) for n, text in texts])) == []
    texts = pages(["二十\n毫克", "二\r\n十毫克", "二十\r\n一毫克"], CHINESE)
    [one] = conflicts(texts).conflicts
    assert [[p.document for p in r.documents] for r in one.readings] == [["2"], ["0", "1"]]


def test_copies_of_copies_are_one_family() -> None:
    # Each copy shares what is before the value with one copy, and what is behind with another.
    core = "alpha beta gamma delta take {} of epsilon zeta eta theta"
    cores = [core.format("10 mg")] * 29 + [core.format("20 mg")]
    texts = [
        (n, f"{prose(n // 2, 22)} {one} {prose(1000 + (n + 1) // 2, 22)}")
        for n, one in enumerate(cores)
    ]
    assert said(conflicts(texts)) == [("amount", {"20 mg": 1, "10 mg": 29})]
