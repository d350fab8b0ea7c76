"""Rates of documents, against sets of units."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.corpora.made import prose
from lab.oracles import rates as oracle
from lab.oracles.rates import SharedSpans
from simdup import passages
from simdup.model.shared_passages import TextPart
from simdup.reuse.finding import Passages, Sides
from simdup.reuse.overlaps import Holders
from simdup.reuse.rates import Omissions, Rates, rate_documents
from simdup.reuse.symbols import Units

Document = tuple[int, bool, int]  # its text, whether it is a reference, its group


@st.composite
def spans(draw: st.DrawFn, size: int) -> tuple[int, int]:
    start = draw(st.integers(0, size - 1))
    return start, draw(st.integers(start + 1, size))


def columns(found: Sequence[SharedSpans]) -> Passages:
    rows = sorted(found)
    ints = [np.array([[p.a, p.b] for p in rows]), np.array([p.in_a for p in rows]),
            np.array([p.in_b for p in rows])]  # fmt: skip
    texts, a, b = (one.reshape(-1, 2).astype(np.int64) for one in ints)
    return Passages(texts, a, b, a[:, 1] - a[:, 0], np.ones(len(rows)))


def whole(sizes: Sequence[int]) -> Units:
    """Return the units of texts without a template."""
    return Units.outside_holes(
        np.cumsum([0, *(size + 1 for size in sizes)]), np.zeros(0, np.uint32)
    )


@given(st.data())
def test_rates_are_those_of_sets_of_units(data: st.DataObject) -> None:
    documents: list[Document] = data.draw(
        st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.integers(-1, 2)), min_size=1)
    )
    referring = data.draw(st.booleans())
    numbers = list(dict.fromkeys(text for text, _, _ in documents))
    text_of = [numbers.index(text) for text, _, _ in documents]
    sizes = data.draw(st.lists(st.integers(1, 60), min_size=len(numbers), max_size=len(numbers)))
    found = []
    for a in range(len(sizes)):
        for b in range(a + 1, len(sizes)):
            for _ in range(data.draw(st.integers(0, 3))):
                found.append(
                    SharedSpans(a, b, data.draw(spans(sizes[a])), data.draw(spans(sizes[b])))
                )
    references = np.array([reference for _, reference, _ in documents])
    every = np.ones(len(documents), np.bool_)
    groups = np.array([group for _, _, group in documents], np.int64)
    both = (~references, references) if referring else (every, every)
    sides = Sides(*both, groups, np.zeros(len(documents), np.uint64))
    holders = Holders.of(np.array(text_of), len(sizes), sides)
    copies = {text for text in range(len(sizes)) if text_of.count(text) > 1}
    parts, left_out = dict[int, list[TextPart]](), dict[int, set[int]]()
    for document, text in enumerate(text_of):
        places = sorted(data.draw(st.sets(st.integers(0, sizes[text]), max_size=4)))
        pairs = zip(places[::2], places[1::2], strict=False)
        parts[document] = [TextPart("quotes", *pair) for pair in pairs]
        left_out[document] = {unit for part in parts[document] for unit in range(*part[1:])}
    least = data.draw(st.integers(1, 20))

    rates = rate_documents(
        columns(found), whole(sizes), holders, np.array(sorted(copies), np.int64),
        list(range(len(documents))),
        Omissions.of(
            range(len(documents)), np.array(sizes)[text_of], least,
            lambda d: (parts[d], np.array([p[1:] for p in parts[d]], np.int64).reshape(-1, 2)),
        ),
    )  # fmt: skip

    assert [one.document for one in rates] == sorted(
        np.flatnonzero(sides.sources).tolist(),
        key=lambda d: {r.document: (-r.counted, -r.share) for r in rates}[d],
    )
    for one in rates:
        slow = oracle.rate(
            one.document, text_of, sizes, found,
            lambda a, b: bool(sides.allow(np.array([a]), np.array([b]))[0]), left_out, copies,
            least,
        )  # fmt: skip
        size = sizes[text_of[one.document]]
        assert one.share == pytest.approx(slow.copied / size)
        assert one.counted == pytest.approx(slow.counted / slow.rest if slow.rest else 0)
        assert one.largest_share == pytest.approx(slow.largest / slow.rest if slow.rest else 0)
        assert one.sources == slow.sources
        if slow.from_whom:
            same = {d for d in slow.from_whom if text_of[d] == text_of[one.document]}
            assert one.largest_source == min(same or slow.from_whom)
        else:
            assert one.largest_source is None


def test_copies_are_one_source() -> None:
    a, b = prose(1), prose(2)
    found = passages([("a", a), ("b", a[:200] + b), ("c", f" {a}"), ("d", prose(9))])
    rates = {one.document: one for one in found.rates}
    assert list(rates) == ["a", "c", "b", "d"]
    assert [(r.share, r.largest_source, r.sources) for r in rates.values()][:2] == [
        (1.0, "c", 2), (1.0, "a", 2),
    ]  # fmt: skip
    assert rates["b"].sources == 1
    assert rates["b"].share == rates["b"].counted == rates["b"].largest_share
    assert found.overlaps[-1].share_b == rates["b"].share
    assert rates["d"] == ("d", 0.0, 0.0, None, 0.0, 0, ())
    assert isinstance(found.rates, Rates)
    assert found.rates[1:] == list(found.rates)[1:]


def test_what_is_left_out_counts_on_neither_side() -> None:
    listed = (
        "\n参考文献\n[1] 张三. 文本复用与检测方法的研究综述[J]. 情报学报, 2019, 38(2): 1-9.\n" * 2
    )
    essays = {name: prose(number) + listed for number, name in enumerate("ab")}
    found = passages(essays, leave_out=["references"])
    for one in found.rates:
        assert 0 < one.share < 0.5
        assert one.counted == 0
        [part] = one.left_out
        assert essays[one.document][part.start : part.end] == listed.strip()
    assert all(one.share == one.counted for one in passages(essays).rates)
    assert all(not one.left_out for one in passages(essays, leave_out="quotes").rates)


def test_text_of_a_template_is_on_neither_side(tmp_path: Path) -> None:
    task, own = prose(7), prose(1)
    (tmp_path / "task.txt").write_text(task, "utf-8")
    essays = {"a": task + own, "b": f"{own}\n{task}", "c": prose(2) + task}
    templates = [str(tmp_path / "task.txt")]
    found = passages(essays, templates=templates)
    assert {one.document: (one.share, one.counted) for one in found.rates} == {
        "a": (1, 1), "b": (1, 1), "c": (0, 0),
    }  # fmt: skip
    [pair] = found.overlaps
    assert (pair.share_a, pair.share_b) == (1, 1)
    for one in found.rates:
        [part] = one.left_out
        given = essays[one.document][part.start : part.end].strip()
        assert (part.kind, given) == ("template", task.strip())


def test_parts_and_a_template_are_listed_once(tmp_path: Path) -> None:
    listed = "\n参考文献\n[1] 张三. 文本复用与检测方法的研究综述及展望[J]. 情报学报, 2019.\n"
    task = prose(7)
    (tmp_path / "task.txt").write_text(task + listed, "utf-8")
    essays = {"a": task + prose(1) + listed, "b": task + prose(1) + listed}
    for one in passages(
        essays, templates=[str(tmp_path / "task.txt")], leave_out=["references"]
    ).rates:
        assert [part.kind for part in one.left_out] == ["template", "references"]
        assert one.left_out[0].end <= one.left_out[1].start
        assert (one.share, one.counted) == (1, 1)


def test_the_largest_source_is_that_of_what_counts() -> None:
    listed = "\n参考文献\n" + "".join(
        f"[{n}] 张三. {prose(n, 30)}[J]. 情报学报, 2019, 38(2): 1-9.\n" for n in range(50, 60)
    )
    essays = {
        "copied": prose(1)[:100] + prose(2) + listed,
        "listed": prose(3) + listed,
        "source": prose(1),
    }
    whole = {one.document: one for one in passages(essays).rates}
    assert whole["copied"].largest_source == "listed"
    rates = passages(essays, leave_out=["references"]).rates
    assert [one.document for one in rates] == ["source", "copied", "listed"]
    source, copied, other = rates
    assert (copied.largest_source, copied.sources) == ("source", 1)
    assert copied.largest_share == copied.counted > 0
    assert (source.largest_source, source.sources) == ("copied", 1)
    assert (other.share > source.share, other.counted, other.largest_source) == (True, 0, None)
    assert (other.largest_share, other.sources) == (0, 0)
