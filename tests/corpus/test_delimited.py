"""Tables with other separators, line ends and encodings: recognised, and written as they were."""

import csv
import gzip
import io
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Command, examples, seconds

from lab.corpora.made import prose
from simdup import SimdupError
from simdup.corpus.batches import batches, open_content, read
from simdup.corpus.changes import Change
from simdup.corpus.delimited import Dialect
from simdup.corpus.delimited import Table as Delimited
from simdup.corpus.files import File
from simdup.corpus.lines import BATCH_BYTES
from simdup.corpus.record_batches import RawBatch
from simdup.corpus.rewriting import write_changed
from simdup.model.documents import Document
from simdup.model.settings import Reading

DELIMITERS = ",;\t|"
ROWS = [
    {"id": f"r{n}", "text": prose(n // 2) + '\nsaid "so", and; then\t|', "preis": f"{n},50"}
    for n in range(6)
]
Table = list[list[str]]


def table(rows: Table, delimiter: str = ",", end: str = "\n") -> str:
    text = io.StringIO(newline="")
    # A writer of lines that end with LF does not quote CR, and the other way round.
    quoting = csv.QUOTE_MINIMAL if "".join(map("".join, rows)).isprintable() else csv.QUOTE_ALL
    csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(rows)
    return text.getvalue()


def in_file(path: Path, content: bytes) -> File:
    path.write_bytes(content)
    return File(str(path), len(content), path.stat().st_mtime, path.suffix[1:], regular=True)


def recognised(path: Path, content: str, field: str = "text", encoding: str = "utf-8") -> Dialect:
    return dialect_of(in_file(path, content.encode(encoding)), Reading(field=field))


def dialect_of(file: File, reading: Reading) -> Dialect:
    """Return how a file is written, of which the header is not read."""
    with open_content(file) as (stream, _):
        return Delimited(file, stream, reading).dialect


def documents(file: File, reading: Reading) -> list[str]:
    return [
        one.text
        for batch in batches([file], reading)
        for one in read(batch, reading)
        if isinstance(one, Document)
    ]


def rows_of(rows: list[dict[str, str]]) -> Table:
    return [list(rows[0]), *(list(row.values()) for row in rows)]


# Each as it is written, by delimiter, end of lines, encoding and what comes before the header.
WRITTEN = {
    "comma.csv": (",", "\n", "utf-8", ""),
    "german.csv": (";", "\r\n", "utf-8-sig", ""),
    "pipe.csv": ("|", "\n", "utf-8-sig", ""),
    "tabs.csv": ("\t", "\r\n", "gb18030", ""),
    "named.csv": (";", "\r\n", "utf-8-sig", "sep=;\r\n"),
    "quoted.csv": (":", "\n", "utf-8", '"SEP=:"\n'),
    "mac.csv": (";", "\r", "utf-8", ""),
    "unicode.tsv": ("\t", "\r\n", "utf-16", ""),
    "big.tsv": ("\t", "\n", "utf-16-be", "\ufeff"),
    "bare.csv": (",", "\n", "utf-16-le", ""),
    "all.csv": (";", "\r", "utf-16", "sep=;\r"),
    "semicolons.tsv": (";", "\n", "utf-8", ""),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_table_is_read_however_it_is_written(simdup: Command, tmp_path: Path, name: str) -> None:
    delimiter, end, encoding, before = WRITTEN[name]
    content = (before + table(rows_of(ROWS), delimiter, end)).encode(encoding)
    file = in_file(tmp_path / name, content)
    assert documents(file, Reading()) == [row["text"] for row in ROWS]
    told = ("--id-field", "id", "-f", "csv", "-q")
    scanned = simdup("scan", name, *told)
    assert len(scanned.lines) == 7
    kind = name.rpartition(".")[2]
    piped = simdup("scan", "-", "--input-format", kind, *told, stdin=content)
    assert piped.out == scanned.out


@pytest.mark.parametrize("name", WRITTEN)
def test_a_table_is_written_as_it_was(simdup: Command, tmp_path: Path, name: str) -> None:
    delimiter, end, encoding, before = WRITTEN[name]
    rows = rows_of(ROWS)
    (tmp_path / name).write_bytes((before + table(rows, delimiter, end)).encode(encoding))
    assert simdup("dedupe", name, "-o", f"out-{name}").status == 0
    left = (before + table(rows[:1] + rows[1::2], delimiter, end)).encode(encoding)
    assert (tmp_path / f"out-{name}").read_bytes() == left
    ran = simdup("dedupe", name, "--unit", "line", "--copies", "1", "-o", f"cut-{name}")
    assert ran.status == 0
    assert simdup("dedupe", name, "--annotate", "-o", f"noted-{name}").status == 0
    noted = in_file(tmp_path / f"noted-{name}", (tmp_path / f"noted-{name}").read_bytes())
    (batch,) = batches([noted], Reading())
    assert isinstance(batch, RawBatch)
    assert batch.dialect is not None
    assert batch.dialect.columns == ("id", "text", "preis", "cluster", "role", "kept",
                                     "similarity", "measure")  # fmt: skip
    dialect = dialect_of(noted, Reading())
    assert (dialect.delimiter, dialect.returns) == (delimiter, end == "\r")
    assert documents(noted, Reading()) == [row["text"] for row in ROWS]


@given(
    st.lists(st.lists(st.text("ab\"',;\t|\n\r中", max_size=4), min_size=2, max_size=2), max_size=6),
    st.sampled_from(DELIMITERS + ":"),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "gb18030"]),
    st.integers(0, 20),
)
@examples(60)
def test_records_that_lose_nothing_keep_their_bytes(
    tmp_path_factory: pytest.TempPathFactory,
    cells: Table,
    delimiter: str,
    end: str,
    encoding: str,
    cut: int,
) -> None:
    path = tmp_path_factory.mktemp("t") / "t.csv"
    head, *lines = [table([row], delimiter, end) for row in [["text", "n"], *cells]]
    reading = Reading(delimiter=delimiter, encoding=encoding)
    file = in_file(path, "".join([head, *lines]).encode(encoding))
    target = io.BytesIO()
    gone = {cut} & set(range(1, len(lines) + 1))
    write_changed(file, target, Change(file, reading, gone), "")
    left = [line for n, line in enumerate(lines, 1) if n not in gone]
    assert target.getvalue() == "".join([head, *left]).encode(encoding)
    # A record that loses the first character of its text.
    places = [n for n, row in enumerate(cells, 1) if n == cut and row[0]]
    cuts = Change(file, reading, spans_of=lambda number: [(0, 1)] if number in places else [])
    write_changed(file, target := io.BytesIO(), cuts, "")
    short = [[row[0][n in places :], row[1]] for n, row in enumerate(cells, 1)]
    left = target.getvalue().decode(encoding)
    if not cuts.whole:
        rows = csv.reader(io.StringIO(left, newline=""), delimiter=delimiter)
        assert [row for row in rows if row] == [["text", "n"], *short]


@given(st.binary(max_size=60), st.sampled_from(["utf-16-le", "utf-16-be"]))
@examples(60)
def test_utf_16_of_any_bytes_comes_back(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, encoding: str
) -> None:
    path = tmp_path_factory.mktemp("t") / "t.csv"
    file = in_file(path, "text,n\n".encode(encoding) + content)
    removed = Change(file, Reading(encoding=encoding), {99})
    write_changed(file, target := io.BytesIO(), removed, "")
    assert target.getvalue() == path.read_bytes()


# -- what is recognised --


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        ("text;preis\nabc, def;1,50\nabc;2,50\n", ";"),
        ("preis;text\n1,50;a\n2,50;b\n", ";"),
        ("name, vorname;text\na, b;c\nd, e;f\n", ";"),  # the field decides
        ("text\na;b\nc;d\n", ","),  # one column stays one
        ("text", ","),
        ("", ","),
        ("text,n\na;b;c,1\nd;e;f,2\n", ","),
        ('"text;n",m\n1,2\n', ","),
        ('n|text\n1|"a,b;c\td"\n', "|"),
        ("sep=;\ntext;n\n", ";"),
        ("sep=^\ntext^n\n", "^"),
        ("sep=\ttext\n", "\t"),  # a header
        ('sep="\ntext,n\n', ","),
        ("\n\r\n" + "text;n\na;1\n", ";"),
    ],
)
def test_the_first_lines_say_what_separates(tmp_path: Path, content: str, delimiter: str) -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        assert recognised(tmp_path / "t.csv", content, encoding=encoding).delimiter == delimiter


def test_without_the_field_the_shares_of_records_decide(tmp_path: Path) -> None:
    lines = "Preis in 1,5 l;Titel\n" + "1,50;eins\n" * 3 + "2;zwei, drei, vier\n"
    assert recognised(tmp_path / "t.csv", lines).delimiter == ";"
    assert recognised(tmp_path / "t.csv", "a, b;c;d\n1, 2;3;4\n").delimiter == ";"
    assert recognised(tmp_path / "t.csv", "a,b|c\n1|2,3,4\n2|2\n").delimiter == "|"
    assert recognised(tmp_path / "t.tsv", "a b\n1 2\n").delimiter == "\t"


def test_records_far_behind_decide_nothing(tmp_path: Path) -> None:
    begin = "a;b,c\n" + "1;2,3\n" * 30
    first = recognised(tmp_path / "t.csv", begin)
    assert recognised(tmp_path / "t.csv", begin + "1,2\n" * 99_999) == first


@pytest.mark.parametrize("delimiter", ["tab", "\\t", "\t"])
def test_a_delimiter_that_is_given_decides(simdup: Command, tmp_path: Path, delimiter: str) -> None:
    (tmp_path / "t.csv").write_bytes(b"sep=;\ntext;n\tm\na;b\t1\na;b\t2\n")
    ran = simdup("scan", "t.csv", "--delimiter", delimiter, "--field", "text;n", "-f", "csv")
    assert len(ran.lines) == 3, "the head, and a line a record"
    (tmp_path / "t.csv").write_bytes(b"text\x01m\na;b\x011\n")
    assert documents(File("t.csv", format="csv"), Reading(delimiter="\x01")) == ["a;b"]


@pytest.mark.parametrize("delimiter", ["", ";;", '"', "\n", "\0", "、"])
def test_a_delimiter_is_one_character(delimiter: str) -> None:
    with pytest.raises(SimdupError, match="one ASCII character"):
        Reading(delimiter=delimiter)


def test_a_table_of_one_column_without_the_field_names_the_option(
    simdup: Command, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_bytes(b"id^text\n1^a\n")
    ran = simdup("scan", "t.csv")
    assert ran.status == 2
    assert "no record has a field 'text' (fields: 'id^text' = '1^a')" in ran.err
    assert "if another character separates the columns, --delimiter names it" in ran.err
    (tmp_path / "u.csv").write_bytes(b"text\nabc\n")
    said = simdup("scan", "t.csv", "u.csv").err
    assert "t.csv: line 1: no field 'text' among 'id^text': see --field or --delimiter" in said
    assert "delimiter" not in simdup("scan", "u.csv", "--field", "b", "--delimiter", ",").err[:40]


def test_a_first_line_that_names_no_columns(simdup: Command, tmp_path: Path) -> None:
    row = "1,The quick brown fox jumps over the lazy dog.\n"
    (tmp_path / "t.csv").write_text(row * 3)
    ran = simdup("scan", "t.csv")
    assert ran.status == 2
    assert ran.err.splitlines()[1] == (
        "hint: the first line must name the columns, such as id,text"
    )


def test_a_header_of_many_columns_is_one_short_line(simdup: Command, tmp_path: Path) -> None:
    names = ";".join(f"c{n}" for n in range(100_000))
    (tmp_path / "t.csv").write_text(f"{names}\n{names}\n")
    (tmp_path / "u.csv").write_text("text\nabc\n")
    said = simdup("scan", "t.csv", "u.csv").err
    assert "'c49' and 99,950 more: see --field\n" in said
    assert len(said) < 2000
    assert simdup("scan", "t.csv", "--field", "c99999").status == 0


# -- pipes, and what nobody writes on purpose --


class Pipe(io.BytesIO):
    """A pipe that is filled little by little."""

    def __init__(self, content: bytes, size: int) -> None:
        super().__init__(content)
        self.size = size

    def seekable(self) -> bool:
        return False

    def read1(self, size: int | None = -1) -> bytes:
        return super().read1(self.size)


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize(
    "content",
    [
        "text;n\r" + "abc, def;1,5\r" * 40,
        "sep=;\r\n" + 'a;"b\n' + 'c"\r\n' + "1,5;2\r\n" * 40,
        "\n\nx,y;z\n" + "1;2\n" * 40,
        '5" x;"text\n\n"\r\n\r' + "a;b\r\n" * 40,
    ],
)
def test_how_a_pipe_is_filled_changes_nothing(content: str, size: int) -> None:
    data, reading = content.encode("utf-16"), Reading(encoding="utf-16")
    opened = [
        Delimited(File("-", format="csv"), stream, reading)
        for stream in (io.BytesIO(data), Pipe(data, size))
    ]
    assert opened[0].dialect == opened[1].dialect
    assert list(opened[0].rows()) == list(opened[1].rows())


def test_a_damaged_table_is_read_up_to_the_damage(simdup: Command, tmp_path: Path) -> None:
    content = gzip.compress(table(rows_of(ROWS), ";").encode() + os.urandom(90_000), 0)
    (tmp_path / "t.csv.gz").write_bytes(content[: content.index(b"r5")])
    ran = simdup("scan", "t.csv.gz", "--id-field", "id", "-f", "csv")
    assert ran.status == 2
    assert ran.text.count("r1,") == 1
    assert "t.csv.gz: damaged gzip data" in ran.err


HOSTILE = {
    "no line end": lambda size: b"a;" * (size // 2),
    "an open quote": lambda size: b'text;n\n"' + b"ab;c\n" * (size // 5),
    "quotes": lambda size: b"text;n\n" + b'"' * size,
    "NULs": lambda size: b"text;n\nabc;1\n" + bytes(size),
    "returns": lambda size: b"text;n\r" + b"\r" * (size // 16),
    "columns": lambda size: b";".join(b"%d" % n for n in range(size // 8)) + b"\n",
    "units": lambda size: b"\xff\xfe" + b"\n\0\r\0" * (size // 16),
    "halves": lambda size: b"\xff\xfe" + b"\0\xd8" * (size // 2),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_tables_take_linear_time(tmp_path: Path, name: str) -> None:
    def read_through(size: int) -> float:
        file = in_file(tmp_path / "t.csv", HOSTILE[name](size))
        return min(seconds(lambda: documents(file, Reading())) for _ in range(2))

    # Of eight times as much, constant costs aside; quadratic would be 64 times.
    assert read_through(8 * BATCH_BYTES) < 20 * max(read_through(BATCH_BYTES), 0.02)
