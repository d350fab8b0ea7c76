"""BibTeX and RIS: entries, their fields, what is between them, and what is broken."""

import gzip
import io
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import hypothesis.strategies as st
import pytest
from hypothesis import example, given
from support import Command

from lab.corpora.made import prose
from simdup import scan
from simdup.corpus.batches import batches, read
from simdup.corpus.bibliography import RawEntry, cut_entries, read_entries, split_entries
from simdup.corpus.entry_fields import tex_to_text
from simdup.corpus.files import File
from simdup.corpus.rewriting import write_records
from simdup.corpus.sources import list_files
from simdup.model.documents import Document, Skipped
from simdup.model.settings import Reading

SUFFIXES = {"bibtex": "bib", "ris": "ris"}


def entries(content: bytes, form: str = "bibtex", **of_file: str | int) -> list[dict[str, str]]:
    """The values of each entry, or what is wrong as its `fault`."""
    file = File(f"a.{SUFFIXES[form]}", format=form, **of_file)  # type: ignore[arg-type]
    found = list[dict[str, str]]()
    for batch in cut_entries(file, io.BytesIO(content), Reading()):
        if isinstance(batch, Skipped):
            found.append({"fault": batch.reason})
        else:
            for line, _, values in read_entries(batch):
                if isinstance(values, str):
                    found.append({"fault": f"line {line}: {values}"})
                else:
                    found.append({name: value for name, value in values.items() if value})
    return found


def one(text: str, form: str = "bibtex") -> dict[str, str]:
    (found,) = entries(text.encode(), form)
    return found


def documents(path: Path | str, **reading: str | int) -> list[Document | Skipped]:
    how = Reading(**reading)  # type: ignore[arg-type]
    files = list_files([str(path)], how).files
    return list(chain.from_iterable(read(batch, how) for batch in batches(files, how)))


# -- BibTeX --


def test_the_fields_of_an_entry() -> None:
    found = one(
        r"""
        @String(acm = {Journal of the } # "{ACM}")
        @Article{knuth:84,
          Author = {Knuth, Donald E. and {Barnes and Noble} and
                    Paul Erd{\H o}s},
          title = "On {T}e{X}:
                   {\"O}ber Stra{\ss}e",
          journal = acm, month = "1~" # jan, year = 1984, pages = {12--18},
          url = {http://x.org/~joe/a\_b--c}, note = {}, x = unknown,
        }"""
    )
    assert found == {
        "type": "article", "key": "knuth:84", "month": "1 January", "year": "1984",
        "author": "Knuth, Donald E.; Barnes and Noble; Paul Erdős", "pages": "12-18",
        "title": "On TeX: Öber Straße", "text": "On TeX: Öber Straße",
        "journal": "Journal of the ACM", "url": "http://x.org/~joe/a_b--c", "x": "unknown",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("@misc{k}", {"type": "misc", "key": "k"}),
        ("@misc{k,}", {"type": "misc", "key": "k"}),
        ("@misc{,title={a}}", {"type": "misc", "title": "a"}),
        ("@misc{title={a}}", {"type": "misc", "title": "a"}),
        ("@ misc ( k, title = {a) b} )", {"type": "misc", "key": "k", "title": "a) b"}),
        ('@misc(k, title = "a) b")', {"type": "misc", "key": "k", "title": "a) b"}),
        ("@misc{k, title={a} note={b}}",
         {"type": "misc", "key": "k", "title": "a", "note": "b"}),
        ("@misc{k, title={first}, TITLE={second}}",
         {"type": "misc", "key": "k", "title": "first"}),
        ("@thesis{k, type={PhD}, date={2001-05}, journaltitle={J}}",
         {"type": "thesis", "key": "k", "date": "2001-05", "year": "2001", "journal": "J",
          "journaltitle": "J"}),
        ("@misc{k, year={c. 1999, reprint}}", {"type": "misc", "key": "k", "year": "1999"}),
        ("@misc{k, year={in press}}", {"type": "misc", "key": "k", "year": "in press"}),
    ],
)  # fmt: skip
def test_forms_of_an_entry(source: str, expected: dict[str, str]) -> None:
    found = one(source)
    found.pop("text", None)
    assert found == expected


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"{\"o}\"{o}\"o{\'\i}\'{\i}\i", "öööíıı".replace("ıı", "íı")),
        (r"\c{c}\c c\v{s}{\v S}\H{o}\u{g}\r{a}\k{a}\=a\.z\~n\`a\^{o}", "ççšŠőğåąāżñàô"),
        (r"\ss{}\o{}\O\L{}\l\ae{} {\AE}x", "ßøØŁłæ Æx"),
        (r"Stra\ss e, {\o}re", "Straße, øre"),
        (r"\'{\^e}", "ế"),
        (r"a--b---c, ``q'' \& 5\% \$3 \#\_", "a–b—c, “q” & 5% $3 #_"),
        (r"A.~B.\,C. x\ y\-z", "A. B. C. x yz"),
        (r"{The {DNA} of \emph{E.~coli}} in $\alpha_{2}$, \Omega", "The DNA of E. coli in α_2, Ω"),
        (r"\mycommand{x} stays \{so\}", r"\mycommand x stays {so}"),
        ("two\n\t lines ", "two lines"),
        (r"中{\"u}文", "中ü文"),
        ("\\", "\\"),
    ],
)  # fmt: skip
def test_tex_becomes_unicode(tex: str, text: str) -> None:
    assert tex_to_text(tex) == text


@given(st.text())
def test_a_text_without_tex_stays(text: str) -> None:
    plain = text.translate(dict.fromkeys(map(ord, "\\{}~$-`'")))
    assert tex_to_text(plain) == " ".join(plain.split())


def test_what_is_between_entries_is_ignored() -> None:
    found = entries(
        b"""% Encoding: UTF-8
        @comment{jabref-meta: databaseType:bibtex;}
        @comment{
        @article{old, title = {Commented out}}
        }
        @preamble{"\\newcommand{\\x}{y}"}
        me@example.com, see @article{no, title={in a line of text}}
@article{a, title={A}} @article{b, title={B}}
"""
    )
    assert [one["title"] for one in found] == ["A", "B"]


def test_a_comment_that_is_never_closed_hides_nothing() -> None:
    found = entries(b"@comment{ oh {\n@misc{a, title={A}}\n@comment{\n@misc{b, title={B}}\n")
    assert [one["title"] for one in found] == ["A", "B"]


UNCLOSED = "an entry that does not end: a brace or quote is missing"


@pytest.mark.parametrize(
    ("broken", "fault"),
    [
        ("@misc{k, title = {a,\n year = 2000\n}\n", f"line 2: {UNCLOSED}"),
        ('@misc{k,\n title = "a\n}\n', f"line 3: {UNCLOSED}"),
        ("@misc{k, title = {a}\n", f"line 2: {UNCLOSED}"),
        ("@misc{k,\n title = }\n", "line 3: a field without a value"),
        ("@misc{k,\n\n {a}}\n", "line 4: not valid BibTeX"),
        ("@misc(k, title = {a)\n", f"line 2: {UNCLOSED}"),
        ("@preamble{\n", f"line 2: {UNCLOSED}"),
        ("@string{x = {y}\n", f"line 2: {UNCLOSED}"),
    ],
)
def test_a_broken_entry_costs_no_other(broken: str, fault: str) -> None:
    good = "@misc{%s, title = {%s}}\n"
    found = entries((good % ("a", "A") + broken + good % ("b", "B")).encode())
    assert {one["title"] for one in found if "title" in one} == {"A", "B"}
    assert [one["fault"] for one in found if "fault" in one] == [fault]


def test_definitions_hold_from_where_they_are_on() -> None:
    lines = [
        f"@string{{x = {{v{n}}}}}\n@misc{{k, title = x}}\n%{'-' * 200_000}\n" for n in range(9)
    ]
    found = entries(b"@misc{k, title = x}\n" + "".join(lines).encode())
    assert [one["title"] for one in found] == ["x", *(f"v{n}" for n in range(9))]


def test_definitions_do_not_multiply() -> None:
    """Thirty lines that double a text would make a gigabyte."""
    lines = ["@string{x0 = {abcdefgh}}"]
    lines += [f"@string{{x{n + 1} = x{n} # x{n}}}" for n in range(30)]
    found = entries("\n".join([*lines, "@misc{k, title = x3}", "@misc{k, title = x30}"]).encode())
    faults = {one["fault"].partition(": ")[2] for one in found if "fault" in one}
    assert faults == {"macros make more than 4096 characters"}
    assert next(len(one["title"]) for one in found if "title" in one) == 64
    assert all(len(one["title"]) <= 4096 for one in found if "title" in one)
    (huge,) = entries(b"@misc{k, title = " + b"jan # " * 10_000 + b"jan}")
    assert huge == {"fault": "line 1: macros make more than 4096 characters"}
    many = b"".join(b"@string{x%d = {%s}}\n" % (n, b"a" * 4000) for n in range(99))
    found = entries(many + b"@misc{k, title = x0 # x98}")
    assert found[0] == {"fault": "line 66: too many or too long definitions"}
    assert found[-1]["title"] == "a" * 4000 + "x98"


# -- RIS --


def test_the_fields_of_a_record() -> None:
    found = one(
        "Provider: somebody\r\n\r\nTY  - JOUR\r\nID  - k1\r\nTI  - A title that\r\ngoes on\r\n"
        "AU  - Müller, A.\r\nAU  - 王, 五\r\nPY  - 2020/05/12/\r\nJ2  - J. Foo\r\n"
        "T2  - Journal of Foo\r\nSP  - 12\r\nEP  - 18\r\nN2  - Abstract\r\n  more\r\nKW  - a\r\n"
        "KW  - b\r\nN1  -\r\nC1  - note\r\nER  - \r\n", "ris",
    )  # fmt: skip
    assert found == {
        "type": "JOUR", "key": "k1", "title": "A title that goes on", "year": "2020",
        "author": "Müller, A.; 王, 五", "journal": "Journal of Foo", "j2": "J. Foo",
        "pages": "12-18", "abstract": "Abstract more", "keywords": "a; b", "c1": "note",
        "text": "A title that goes on\nAbstract more",
    }  # fmt: skip


def test_records_without_an_end_or_a_beginning() -> None:
    found = entries(
        b"TY  - BOOK\nT1  - A\nTY  - JOUR\nT1  - B\nER  -\nT1  - C\nSP  - 3-9\nER  - \n"
        b"ER  - \nTY  - JOUR\nT1  - D", "ris",
    )  # fmt: skip
    assert [one["title"] for one in found] == ["A", "B", "C", "D"]
    assert found[2]["pages"] == "3-9"


# -- both --


def as_bib(rows: list[tuple[str, str]]) -> str:
    return "".join(
        f"@misc{{k{n}, title = {{{t}}}, year = {{{y}}}}}\n\n" for n, (t, y) in enumerate(rows)
    )


def as_ris(rows: list[tuple[str, str]]) -> str:
    lines = "TY  - GEN\nID  - k{}\nTI  - {}\nPY  - {}\nER  - \n\n"
    return "".join(lines.format(n, *row) for n, row in enumerate(rows))


FORMS = {"bib": as_bib, "ris": as_ris}
# The second and the third are the same text.
ROWS = [
    (" ".join(prose(seed).split()), year) for seed, year in ((0, "1999"), (1, "2001"), (1, "2003"))
]
form_of = {"bib": "bibtex", "ris": "ris"}


@pytest.mark.parametrize("form", FORMS)
def test_records_of_a_bibliography(simdup: Command, tmp_path: Path, form: str) -> None:
    content = FORMS[form](ROWS).encode()
    (tmp_path / f"r.{form}").write_bytes(content)
    (tmp_path / f"r.{form}.gz").write_bytes(gzip.compress(content))
    for source in (f"r.{form}", f"r.{form}.gz"):
        assert simdup("scan", source, "--list", "redundant").lines == [f"{source}#3"]
        newest = simdup("scan", source, "--list", "redundant", "--keep", "max:year")
        assert newest.lines == [f"{source}#2"]
        named = simdup("scan", source, "--list", "redundant", "--id-field", "key")
        assert named.lines == ["k2"]
        assert simdup("scan", source, "--list", "redundant", "--field", "title").lines
        assert simdup("compare", f"{source}#1", f"{source}#2").status == 1
        assert simdup("compare", f"{source}#3", f"{source}#2").status == 0
    piped = simdup(
        "scan", "-", "--input-format", form_of[form], "--list", "redundant", stdin=content
    )
    assert piped.lines == ["-#3"]


def test_both_formats_have_the_same_fields(simdup: Command, tmp_path: Path) -> None:
    for form, write in FORMS.items():
        (tmp_path / f"r.{form}").write_text(write(ROWS[:2]), "utf-8")
    ran = simdup("scan", "r.bib", "r.ris", "--list", "redundant", "--keep", "max:year")
    assert ran.lines == ["r.ris#1", "r.ris#2"]
    assert simdup("compare", "r.bib#1", "r.ris#1").status == 0


def test_the_text_is_the_title_and_the_abstract(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "r.bib").write_text(
        "@misc{a, abstract={B}, title={A}}\n@misc{b, abstract={only}}\n@misc{c, title={only}}\n"
        "@misc{d, year=2000}\n@misc{e, text={its own}, title={A}}\n"
    )
    found = documents(tmp_path / "r.bib")
    texts = [one.text for one in found if isinstance(one, Document)]
    assert texts == ["A\nB", "only", "only", "its own"]
    ran = simdup("fingerprint", "r.bib")
    assert (ran.status, ran.err.splitlines()[0]) == (
        2,
        "simdup: r.bib#4: field 'text' is null",
    )


def test_a_lacking_field_is_null_and_an_unknown_one_an_error(
    simdup: Command, tmp_path: Path
) -> None:
    (tmp_path / "r.bib").write_text("@misc{a, title={A}}\n@misc{b, title={A}, author={X}}\n")
    ran = simdup("fingerprint", "r.bib", "--field", "author")
    assert ran.err.startswith("simdup: r.bib#1: field 'author' is null\n")
    ran = simdup("scan", "r.bib", "--field", "titel")
    assert ran.err.startswith("simdup: --field: no record has a field 'titel' (fields: 'title', ")


# -- encodings --


OF_ENCODING = {
    "cp1252": "Über die Größe der Wörter und über die Namen der Bücher: élèves à l’école",
    "shift_jis": "この本は古い町の図書館について書かれたもので、司書は毎朝、窓を開けます。",
}


def trailing(encoding: str) -> str:
    """Characters whose second byte is that of a brace, an at sign or a backslash."""
    pairs = (bytes([lead, mark]) for lead in range(0x88, 0xFD) for mark in b"{}@\\")
    texts = (raw.decode(encoding, "ignore") for raw in pairs)
    return "".join(text for text in texts if len(text) == 1 and "\u4e00" <= text <= "\u9fff")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("encoding", ["gb18030", "big5", "shift_jis", "utf-8-sig", "cp1252"])
@pytest.mark.parametrize("named", [True, False])
def test_encodings(tmp_path: Path, form: str, encoding: str, named: bool) -> None:
    text = " ".join(OF_ENCODING.get(encoding, prose(3)).split())
    known = " ".join(text.encode(encoding, "ignore").decode(encoding).split())
    titles = [known, known[:50] + trailing(encoding)[:20] + known[50:]]
    content = FORMS[form]([(title, "2000") for title in titles * 2]).encode(encoding)
    (tmp_path / f"r.{form}").write_bytes(content)
    found = documents(tmp_path / f"r.{form}", **({"encoding": encoding} if named else {}))
    assert [one.text for one in found if isinstance(one, Document)] == titles * 2


@pytest.mark.parametrize("form", FORMS)
def test_what_cannot_be_decoded(simdup: Command, tmp_path: Path, form: str) -> None:
    content = FORMS[form](ROWS).encode()
    (tmp_path / f"r.{form}").write_bytes(content.replace(ROWS[1][0].encode(), b"\xe6 title", 1))
    ran = simdup("scan", f"r.{form}", "--list", "kept", "--encoding", "utf-8")
    assert ran.err.splitlines()[0].endswith("not valid utf-8")
    (tmp_path / f"r.{form}").write_bytes(content.decode().encode("utf-16"))
    assert "in utf-16-le is not supported" in simdup("scan", f"r.{form}").err
    (tmp_path / f"r.{form}").write_bytes(bytes(range(256)) * 9)
    assert "binary" in simdup("scan", f"r.{form}").err


# -- cutting --


def pieces_of(content: bytes, sizes: list[int]) -> Iterator[bytes]:
    """Cut into pieces of whole lines, of about these sizes by turns."""
    lines = content.splitlines(keepends=True)
    while lines:
        for size in sizes:
            yield b"".join(lines[:size])
            del lines[:size]
    yield from ()


PARTS = st.sampled_from(
    ["@misc{", "@misc(", "@comment{", "@string{", "@preamble{", "{", "}", "(", ")", '"', "=", ",",
     "#", "\n", " ", "k", "title", "x", "@", "\\", "\r\n", "TY  - ", "ER  - ", "TI  - ", "由",
     "\n@misc{a,"]
)  # fmt: skip
LINES = st.lists(PARTS, max_size=40).map("".join)


@given(
    LINES,
    st.lists(st.integers(1, 3), min_size=1, max_size=3),
    st.sampled_from(["bibtex", "ris"]),
    st.sampled_from(["utf-8", "gb18030"]),
    st.integers(1, 60),
)
def test_pieces_are_the_file_wherever_it_is_cut(
    text: str, sizes: list[int], form: str, encoding: str, most: int
) -> None:
    content = text.encode(encoding)
    file = File("a", format=form, max_size=most)
    whole = list(split_entries(iter([content]), file, encoding))
    assert b"".join(whole) == content
    parts = list(split_entries(pieces_of(content, sizes), file, encoding))
    assert b"".join(parts) == content
    file = File("a", format=form)
    whole, parts = (
        [one for one in split_entries(pieces, file, encoding) if isinstance(one, RawEntry)]
        for pieces in (iter([content]), pieces_of(content, sizes))
    )
    assert parts == whole


@given(LINES, st.sampled_from(["bibtex", "ris"]), st.booleans())
@example("@preamble{\n@misc{a,\n", "bibtex", True)
def test_records_that_are_numbered_are_those_that_are_written(
    text: str, form: str, small: bool
) -> None:
    """What is read as the n-th record is removed as the n-th; without any the file stays."""
    content = text.encode()
    file = File("a", format=form, max_size=9 if small else 1 << 20)
    numbers = [
        int(one.document.rpartition("#")[2]) if isinstance(one, Skipped) else one.record
        for cut in cut_entries(file, io.BytesIO(content), Reading())
        for one in ([cut] if isinstance(cut, Skipped) else read(cut, Reading()))
        if isinstance(one, Document) or "#" in one.document
    ]
    pieces = list(split_entries(iter([content] if content else []), file, "utf-8"))
    whole = [one for one in pieces if isinstance(one, RawEntry)]
    assert small or numbers == list(range(1, len(whole) + 1))
    assert numbers == sorted(set(numbers))
    assert written(file, content, {10**9}, form) == content
    for number in numbers[:3]:
        assert small or len(written(file, content, {number}, form)) < len(content)


def written(file: File, content: bytes, numbers: set[int], form: str) -> bytes:
    """The file without some records."""
    with tempfile.NamedTemporaryFile() as source:
        source.write(content)
        source.flush()
        target = io.BytesIO()
        write_records(replace(file, path=source.name, format=form), target, numbers, "")
        return target.getvalue()


class Written(NamedTuple):
    """An entry as a test wrote it, and what it holds."""

    source: str
    title: str


WORDS = st.text(st.sampled_from("abé由 Z.,:;()[]'=#@0"), min_size=1, max_size=30).map(
    lambda text: " ".join(text.split())
).filter(bool)  # fmt: skip


@st.composite
def bibtex_entries(draw: st.DrawFn) -> Written:
    """An entry in any form that BibTeX allows."""
    title = draw(WORDS.filter(lambda text: "''" not in text))
    at = draw(st.integers(0, len(title)))
    value = title[:at] + draw(st.sampled_from(["{}", "{{}}"])) + title[at:]
    if draw(st.booleans()):
        value = "".join(
            {"é": draw(st.sampled_from([r"\'e", r"{\'e}", r"\'{e}"]))}.get(c, c) for c in value
        )
    quoted = draw(st.booleans())
    value = f'"{value}"' if quoted else "{" + value + "}"
    if draw(st.booleans()):
        value = f'{{}} # {value} # ""'
    other = draw(st.sampled_from(["", "year = 2000,", "note = {a {b} c},", 'x = "{"}"",'[:0]]))
    gap = draw(st.sampled_from(["", " ", "\n  ", "\r\n\t"]))
    body = f"k,{gap}{other}{gap}Title{gap}={gap}{value}{draw(st.sampled_from(['', ',']))}{gap}"
    return Written("@Misc{" + body + "}" if draw(st.booleans()) else f"@misc({body})", title)


@st.composite
def ris_entries(draw: st.DrawFn) -> Written:
    """A record of RIS; its title may go on in the next line."""
    title = draw(WORDS)
    end = draw(st.sampled_from(["\n", "\r\n"]))
    lines = ["TY  - JOUR", f"TI  - {title}".replace(" Z", f"{end}Z"), "ER  - "]
    if draw(st.booleans()):
        lines.insert(draw(st.integers(1, 2)), "AU  - X, Y")
    return Written(end.join(lines), title)


@pytest.mark.parametrize(("form", "of"), [("bibtex", bibtex_entries), ("ris", ris_entries)])
def test_what_is_written_is_read_again(
    form: str, of: Callable[[], st.SearchStrategy[Written]]
) -> None:
    between = st.sampled_from(["\n", "\n\n", "\n% text\n", "\r\n \r\n"])

    @given(st.lists(st.tuples(of(), between), max_size=6), st.data())
    def check(made: list[tuple[Written, str]], data: st.DataObject) -> None:
        content = "".join(one.source + gap for one, gap in made).encode()
        assert [one["title"] for one in entries(content, form)] == [one.title for one, _ in made]
        if not made:
            return
        number = data.draw(st.integers(1, len(made)))
        left = written(File("a"), content, {number}, form)
        stay = [one.title for n, (one, _) in enumerate(made, 1) if n != number]
        assert [one["title"] for one in entries(left, form)] == stay

    check()


# -- limits --


@pytest.mark.parametrize("form", FORMS)
def test_an_entry_that_is_too_large(tmp_path: Path, form: str) -> None:
    rows = [("A", "1"), ("b" * 3_000_000, "2"), ("C", "3"), ("d" * 2000, "4"), ("E", "5")]
    content = FORMS[form](rows).replace("b" * 1000, "b" * 999 + "\n").encode()
    (tmp_path / f"r.{form}").write_bytes(content)
    found = documents(tmp_path / f"r.{form}", max_size=1500)
    assert [one.text for one in found if isinstance(one, Document)] == ["A", "C", "E"]
    large = [one for one in found if isinstance(one, Skipped)]
    assert [one.document.rpartition("#")[2] for one in large] == ["2", "4"]
    assert all("larger than" in one.reason for one in large)
    with (tmp_path / f"r.{form}").open("rb") as stream:
        assert stream.read() == written(File("", max_size=1500), content, {99}, form_of[form])


HOSTILE = {
    "open braces": lambda n: b"@misc{a, title = " + b"{" * n,
    "braces": lambda n: b"@misc{a, title = " + b"{" * (n // 2) + b"}" * (n // 2) + b"}",
    "at signs": lambda n: b"@" * n,
    "entries that do not end": lambda n: b"@misc{a, title = {x\n" * (n // 20),
    "comments that do not end": lambda n: b"@comment{\n" * (n // 10),
    "entries in a line": lambda n: b"@misc{a,title={x}}" * (n // 18),
    "spaces": lambda n: b"@misc{a, author = {" + b" " * n + b"x" + b" " * n + b"}}",
    "accents": lambda n: b"@misc{a, title = {" + b"\\'" * (n // 2) + b"}}",
    "quotes": lambda n: b"@misc(a, title = " + b'"' * n,
    "sharps": lambda n: b"@misc{a, title = a" + b"#a" * (n // 2) + b"}",
    "definitions": lambda n: b"@string{a = {b}}\n" * (n // 18),
    "tags": lambda n: b"TY  - \n" * (n // 7),
    "lines that go on": lambda n: b"TY  - a\nTI  - a\n" + b"a\n" * (n // 2),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_input_takes_linear_time(what: str) -> None:
    """It takes a second or two; in quadratic time it would take hours."""
    begin = time.process_time()
    entries(HOSTILE[what](200_000), "ris" if what in ("tags", "lines that go on") else "bibtex")
    assert time.process_time() - begin < 20


# -- writing --


BIB = """% of mine
@string{j = "J"}

@misc{a, title = {FIRST}}

% about b
@misc{b, title = {OTHER}}

  @misc{c, title = {FIRST}}
% end
"""


def test_dedupe_keeps_everything_else_byte_for_byte(simdup: Command, tmp_path: Path) -> None:
    first, other = (" ".join(prose(seed).split()) for seed in (1, 2))
    content = BIB.replace("FIRST", first).replace("OTHER", other).replace("\n", "\r\n")
    (tmp_path / "r.bib").write_bytes(b"\xef\xbb\xbf" + content.encode())
    ran = simdup("dedupe", "r.bib", "-o", "out.bib", "--removed", "removed.csv")
    assert ran.status == 0
    left = content.replace(f"  @misc{{c, title = {{{first}}}}}\r\n", "")
    assert (tmp_path / "out.bib").read_bytes() == b"\xef\xbb\xbf" + left.encode()
    assert "r.bib#3,exact copy" in (tmp_path / "removed.csv").read_text()
    simdup("dedupe", "r.bib", "-o", "last.bib", "--prefer", "r.bib#3", "-q")
    left = content.replace(f"@misc{{a, title = {{{first}}}}}\r\n\r\n", "")
    assert (tmp_path / "last.bib").read_bytes() == b"\xef\xbb\xbf" + left.encode()


def test_dedupe_of_a_folder_with_a_named_encoding(simdup: Command, tmp_path: Path) -> None:
    """Where entries end depends on the encoding that was named, also when they are written."""
    (tmp_path / "c").mkdir()
    text = "Указатель {Р}усской библиографии, часть первая "
    rows = [
        (text * 3 + "д", "1"),
        ("совсем другое о садах и парках" * 3, "2"),
        (text * 3 + "д", "3"),
    ]
    (tmp_path / "c" / "r.bib").write_bytes(as_bib(rows).encode("koi8-r"))
    ran = simdup("dedupe", "c", "-o", "out", "--encoding", "koi8-r", "-q")
    assert ran.status == 0
    assert (tmp_path / "out" / "r.bib").read_bytes() == as_bib(rows[:2]).encode("koi8-r")


@pytest.mark.parametrize("form", FORMS)
def test_what_bibliographies_are_not_written_by(simdup: Command, tmp_path: Path, form: str) -> None:
    content = FORMS[form](ROWS).encode()
    (tmp_path / f"r.{form}").write_bytes(content)
    ran = simdup("dedupe", f"r.{form}", "-o", f"o.{form}", "--annotate")
    assert ran.err.startswith(f"simdup: r.{form}: a bibliography cannot be annotated\nhint: ")
    assert not (tmp_path / f"o.{form}").exists()
    ran = simdup("dedupe", f"r.{form}", "-o", f"o.{form}", "--unit", "sentence", "-q")
    assert ran.status == 2
    assert f"r.{form}#3: is in a bibliography, from which only whole entries are removed" in ran.err
    assert (tmp_path / f"o.{form}").read_bytes() == content
    masked = simdup(
        "decontaminate", f"r.{form}", "--against", f"r.{form}#1", "--mask", "-o", f"m.{form}"
    )
    assert "left out: is in a bibliography" in masked.err
    assert len((tmp_path / f"m.{form}").read_bytes()) < len(content)


def test_a_faulty_definition_does_not_hide_a_record(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "r.bib").write_text("@string{x = }\n" + as_bib(ROWS), "utf-8")
    assert simdup("compare", "r.bib#2", "r.bib#3").status == 0
    ran = simdup("scan", "r.bib", "--list", "redundant")
    assert (ran.status, ran.lines) == (2, ["r.bib#3"])
    assert ran.err.startswith("simdup: r.bib: line 1: a field without a value\n")


def test_from_python(tmp_path: Path) -> None:
    (tmp_path / "r.ris").write_text(as_ris(ROWS), "utf-8")
    (cluster,) = scan(tmp_path / "r.ris", id="key").clusters
    assert [member.name for member in cluster.members] == ["k1", "k2"]
