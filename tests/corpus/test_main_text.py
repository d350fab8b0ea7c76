"""The main text: what jusText finds, in linear time for every page."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

core = pytest.importorskip("justext.core", reason="needs the extra simdup[html]")

from lxml.etree import LxmlError  # noqa: E402

from simdup.corpus.html import extract_text  # noqa: E402
from simdup.corpus.main_text import parse_paragraphs, revise  # noqa: E402

TAGS = (
    "head title p div span a b br h1 h2 table tr td ul li form input select option iframe object "
    "param script style template noscript center pre link svg x-h1 x-select textarea button dl dt "
    "blockquote font image applet base meta"
)
ATTRIBUTES = ["", " a=1", " rel=stylesheet", " rel=icon", ' title="x>y"', " href=x"]
fragments = st.one_of(
    st.builds("<{}{}>".format, st.sampled_from(TAGS.split()), st.sampled_from(ATTRIBUTES)),
    st.sampled_from(TAGS.split()).map("</{}>".format),
    st.sampled_from(
        ["<!-- c -->", "<!--", "<?pi x?>", "<![CDATA[x]]>", "<!x>", "<", "&amp;", "&copy;", "<p/>"]
    ),
    st.sampled_from(["ab ", "正文" * 20, " ", "\n", "\r\n x", "word " * 10, "word " * 30, "。"]),
)
pages = st.tuples(
    st.sampled_from(["", "<!DOCTYPE html>", "<html><head><title>t</title></head><body>"]),
    st.lists(fragments, max_size=25).map("".join),
).map("".join)

LIMITS = {"length_low": 25, "length_high": 60, "stopwords_low": 0, "stopwords_high": 0}


class Paragraph:
    """The features that jusText uses to classify, without a page."""

    def __init__(self, cf_class: str, heading: bool, length: int) -> None:
        self.cf_class, self.heading, self.text = cf_class, heading, "x" * length
        self.class_type = ""

    def __len__(self) -> int:
        return len(self.text)


def facts(paragraphs: list[Any]) -> list[tuple[Any, ...]]:
    return [(p.text, p.cf_class, p.class_type, p.heading) for p in paragraphs]


@given(pages)
def test_paragraphs_are_those_of_justext(page: str) -> None:
    try:
        expected = core.justext(page, frozenset(), max_link_density=0.3, **LIMITS)
    except (LxmlError, ValueError, AssertionError):
        return  # an empty page, or one that lxml or jusText cannot take
    found = parse_paragraphs(page)
    core.classify_paragraphs(found, frozenset(), max_link_density=0.3, **LIMITS)
    revise(found)
    assert facts(found) == facts(expected)


classes = st.sampled_from(["short", "neargood", "good", "bad"])


@given(st.lists(st.tuples(classes, st.booleans(), st.sampled_from([1, 40, 99, 200, 300]))))
def test_neighbours_decide_as_in_justext(made: list[tuple[str, bool, int]]) -> None:
    expected, found = ([Paragraph(*one) for one in made] for _ in range(2))
    core.revise_paragraph_classification(expected)
    revise(found)
    assert facts(found) == facts(expected)


SIZE = 200_000
HOSTILE = {
    "white space": " " * SIZE,
    "paragraphs": "<p>ab</p>" * (SIZE // 9),
    "unclosed paragraphs": "<p>ab" * (SIZE // 5),
    "nested": "<div>ab" * (SIZE // 7),
    "ends without a beginning": "<div>" * (SIZE // 10) + "</x>" * (SIZE // 8),
    "an attribute": f'<p title="{"x" * SIZE}">ab</p>',
    "attributes": f"<p {' '.join(f'a{n}=1' for n in range(SIZE // 8))}>ab</p>",
    "comments": "<!-- a -->x" * (SIZE // 11),
    "unclosed comments": "<!--" * (SIZE // 4),
    "styles": "<style>x</style>y" * (SIZE // 17),
    "forms": "<form><input>" * (SIZE // 13),
    "frames": "<iframe>a</iframe>" * (SIZE // 18),
    "headings": "<h1>ab</h1>" * (SIZE // 11),
    "long headings": ("<h1>a</h1>" * 199 + f"<p>{'x' * 2000}</p>") * (SIZE // 3990),
    "declarations": "<?xml " * (SIZE // 6),
    "references": "&" * SIZE,
}


def test_hostile_pages_take_linear_time() -> None:
    """3 MB in a second or two; earlier, the first of these alone took minutes."""
    took = {}
    for name, page in HOSTILE.items():
        begun = time.process_time()
        extract_text(page, "main")
        took[name] = round(time.process_time() - begun, 2)
    assert sum(took.values()) < 10, took


def test_no_text_is_lost_if_elements_are_nested_too_deeply() -> None:
    assert extract_text("<div>" * 2000 + "正文" * 40, "main") == "正文" * 40
