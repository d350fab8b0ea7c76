"""Made theses have the parts and the copies that their truth names, where it says so."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from lab.corpora.facts import LANGUAGES
from lab.corpora.marks import (
    CONTENTS,
    HEADERS,
    KINDS,
    QUOTES,
    REFERENCES,
    STATEMENT,
    Part,
    copied,
    dressed,
    located,
    opened,
    part,
)
from lab.corpora.theses import Theses, Thesis, counts, theses, write_theses
from lab.corpora.thesis_forms import DOCX, MD, PDF, TEX, TXT
from lab.corpora.thesis_words import STATEMENTS
from simdup.corpus.files import File
from simdup.corpus.office import read_office
from simdup.model.documents import Document


@cache
def made() -> Theses:
    return theses()


def parts(thesis: Thesis, kind: str) -> list[str]:
    return [thesis.text[one.start : one.end] for one in thesis.parts if one.kind == kind]


def without_lines(text: str) -> str:
    """The text without white space, hyphens and the signs that LaTeX and Markdown need."""
    return re.sub(r"[\s\\>-]", "", text)


def test_a_seed_makes_the_same_theses() -> None:
    assert theses() == made()
    assert theses(seed=1).theses[0].text != made().theses[0].text


def test_there_are_so_many_of_each() -> None:
    assert len(made().theses) == 20
    assert Counter(one.language for one in made().theses) == dict.fromkeys(LANGUAGES, 10)
    formats = Counter(one.form for one in made().theses)
    assert formats == {DOCX: 5, PDF: 7, TXT: 4, MD: 2, TEX: 2}
    kinds = Counter(one.kind for thesis in made().theses for one in thesis.parts)
    assert set(kinds) == set(KINDS)
    assert kinds[QUOTES] > 200
    assert kinds[REFERENCES] >= 20
    assert kinds[HEADERS] > 150


@pytest.mark.parametrize("thesis", made().theses, ids=lambda one: one.name)
def test_ranges_are_in_order_and_inside_the_text(thesis: Thesis) -> None:
    for ranges in (thesis.parts, thesis.copies):
        end = 0
        for one in ranges:
            assert end <= one.start < one.end <= len(thesis.text)
            text = thesis.text[one.start : one.end]
            assert text == text.strip()
            end = one.end
    assert not re.search(r"[\ue000-\uf8ff\U000f0000-\U000fffff]", thesis.text)


@pytest.mark.parametrize("thesis", made().theses, ids=lambda one: one.name)
def test_sources_have_what_is_copied(thesis: Thesis) -> None:
    sources = {name: without_lines(text) for name, text in made().sources.items()}
    for copy in thesis.copies:
        assert without_lines(thesis.text[copy.start : copy.end]) in sources[copy.source]
    share = counts(thesis, KINDS)
    assert 0.05 < share.share_without < share.share < 0.4
    # References and quotations of sources stand in the thesis, too.
    assert share.copied_left_out > 0.2 * share.copied


def test_parts_start_and_end_as_they_should() -> None:
    for thesis in made().theses:
        for text in parts(thesis, QUOTES):
            block = text.startswith((">", r"\begin{quote}")) or text[0] not in '“"「`'
            # A page may end within a quotation.
            assert block or thesis.form == PDF or re.search("[”\"」']", text)
        for text in parts(thesis, HEADERS):
            assert "\n" not in text
        if thesis.form != PDF:
            for text in parts(thesis, REFERENCES):
                heading, _, _ = text.partition("\n")
                assert re.search(r"参\s*考\s*文\s*献|references|bibliography|cited", heading, re.I)
        if thesis.form != TEX:
            assert parts(thesis, CONTENTS)[0].lstrip("# ")[0] in "目CT"
        else:
            assert not parts(thesis, CONTENTS)
            assert parts(thesis, REFERENCES)[0].startswith(r"\begin{thebibliography}")
            assert parts(thesis, REFERENCES)[0].endswith(r"\end{thebibliography}")


def test_statements_are_whole() -> None:
    known = {
        without_lines(name + "".join(says + signed))
        for variants in STATEMENTS.values()
        for variant in variants
        for name, says, signed in variant
    }
    found = [text for one in made().theses if one.form != PDF for text in parts(one, STATEMENT)]
    assert found
    for text in found:
        bare = re.sub(r"chapter\*\{(.*?)\}", r"\1", without_lines(text)).lstrip("#")
        assert bare in known


def test_pages_have_a_head_or_a_foot_each() -> None:
    for thesis in made().theses:
        if thesis.form != PDF:
            assert "\f" not in thesis.text
            assert not parts(thesis, HEADERS)
            continue
        pages, start = thesis.text.split("\f"), 0
        assert len(pages) > 15
        for number, page in enumerate(pages):
            edges = [
                one for one in thesis.parts
                if one.kind == HEADERS and start <= one.start < start + len(page)
            ]  # fmt: skip
            # The title page and the one behind it have none.
            assert edges or number < 2
            assert all(
                one.start == start or thesis.text[one.end :].lstrip("\n")[:1] in ("\f", "")
                for one in edges
            )
            start += len(page) + 1


def test_files_are_read_as_the_texts(tmp_path: Path) -> None:
    paths = write_theses(made(), tmp_path)
    for thesis in made().theses:
        content = paths[thesis.name].read_bytes()
        if thesis.form == DOCX:
            document = read_office(File("x.docx", format="docx"), content)
            assert isinstance(document, Document)
            assert document.text == thesis.text
        else:
            assert content.decode() == thesis.text
    for name, text in made().sources.items():
        assert paths[name].read_bytes().decode() == text


def test_marks_become_ranges() -> None:
    head = part(HEADERS, "12 head")
    marked = f"own {opened(REFERENCES)}list\n{copied(0, 'one' + head + 'two')}\n"
    text, found, copies = located(dressed(marked + "\ue002 end"), ["source"])
    assert text == "own list\none12 headtwo\n end"
    assert found == [Part(REFERENCES, 4, 12), Part(HEADERS, 12, 19), Part(REFERENCES, 19, 22)]
    assert [(text[a:b], name) for a, b, name in copies] == [("one", "source"), ("two", "source")]


def test_what_dresses_a_text_is_inside_of_its_marks() -> None:
    text = dressed(opened(QUOTES) + "said\ue002", "> ", " <")
    assert text == part(QUOTES, "> said <")
    assert dressed("a " + part(QUOTES, "b"), "(", ")") == "(a " + part(QUOTES, "b") + ")"
