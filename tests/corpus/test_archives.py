"""Zip archives: their files are read as those of the unpacked folder; nothing in them can harm."""

import gzip
import io
import json
import stat
import struct
import sys
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Command, process

from lab.corpora.made import prose, write
from lab.corpora.office_files import docx, paragraphs, patched, zipped
from simdup import scan
from simdup.corpus import archives
from simdup.corpus.archives import list_archive, open_part
from simdup.corpus.files import ArchiveMember
from simdup.corpus.sources import list_files
from simdup.model.documents import Skipped
from simdup.model.settings import Reading

# A locale without a character beyond ASCII.
ASCII = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
TEXT = "今天的会议改到下午三点，请各组组长带上上周的记录。"


def listed(path: Path, content: bytes) -> list[str]:
    """The names in an archive, or why something in it cannot be read."""
    path.write_bytes(content)
    list_archive.cache_clear()
    size, modified = path.stat().st_size, path.stat().st_mtime
    return [
        one.name if isinstance(one, ArchiveMember) else f"{Path(one.document).name}: {one.reason}"
        for one in list_archive(str(path), size, modified)
    ]


def names(sources: list[str], **reading: object) -> list[str]:
    return [file.path for file in list_files(sources, Reading(**reading)).files]  # type: ignore[arg-type]


class TestNames:
    @pytest.mark.parametrize(
        ("raw", "name"),
        [
            ("作业/王小明.docx".encode("gbk"), "作业/王小明.docx"),
            ("高/中.txt".encode("gbk"), "高/中.txt"),
            ("報告與附件.docx".encode("big5"), "報告與附件.docx"),
            ("作业.txt".encode(), "作业.txt"),
            ("レポート.txt".encode("shift_jis"), "レポート.txt"),
            ("résumé.txt".encode("cp437"), "résumé.txt"),
            ("Müller.txt".encode("cp437"), "Müller.txt"),
            (b"plain.txt", "plain.txt"),
        ],
    )
    def test_legacy_encodings(self, tmp_path: Path, raw: bytes, name: str) -> None:
        assert listed(tmp_path / "a.zip", zipped([(raw, TEXT)])) == [name]

    def test_utf_8(self, tmp_path: Path) -> None:
        assert listed(tmp_path / "a.zip", zipped([("作业/𠮷.txt", TEXT)])) == ["作业/𠮷.txt"]

    def test_the_name_in_an_extra_field(self, tmp_path: Path) -> None:
        info = zipfile.ZipInfo("_.txt")
        name = "王.txt".encode()
        field = b"\1" + struct.pack("<L", zlib.crc32(b"_.txt")) + name
        info.extra = b"up" + struct.pack("<H", len(field)) + field
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            archive.writestr(info, TEXT)
        assert listed(tmp_path / "a.zip", content.getvalue()) == ["王.txt"]

    def test_names_that_the_locale_cannot_spell(self, tmp_path: Path) -> None:
        """They are bytes, as those of files are there; what is written has them as everywhere."""
        inside = {"书/一.txt": prose(1), "书/二.txt": prose(1), "页.csv": f'text\n"{prose(1)}"\n'}
        (tmp_path / "a.zip").write_bytes(zipped(inside.items()))
        plain = process("scan", "a.zip", "-f", "csv", cwd=tmp_path)
        assert "a.zip/书/二.txt".encode() in plain.out
        for way in (["a.zip"], [f"a.zip/{name}" for name in inside]):
            ran = process("scan", *sorted(way), "-f", "csv", cwd=tmp_path, **ASCII)
            assert (ran.status, sorted(ran.lines)) == (0, sorted(plain.lines)), ran.err

    @pytest.mark.parametrize(
        ("raw", "name"),
        [
            (b"../../etc/x.txt", "etc/x.txt"),
            (b"/abs.txt", "abs.txt"),
            (b"a//./b.txt", "a/b.txt"),
            (b"x\x00y.txt", "x"),
            (b"a\nb\x1b[2J.txt", "a\nb\x1b[2J.txt"),
        ],
    )
    def test_hostile_names_are_only_names(self, tmp_path: Path, raw: bytes, name: str) -> None:
        assert listed(tmp_path / "a.zip", zipped([(raw, TEXT)])) == [name]

    def test_separators_of_windows(self, tmp_path: Path) -> None:
        content = zipped([(b"a\\b.txt", TEXT)]).replace(b"PK\1\2\x14\3", b"PK\1\2\x14\0")
        assert listed(tmp_path / "a.zip", content) == ["a/b.txt"]

    def test_hidden_files_links_and_folders_are_left_out(self, tmp_path: Path) -> None:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        left_out = [(name, "x") for name in ("__MACOSX/._b.txt", ".git/x", "c/.DS_Store", "d/")]
        content = io.BytesIO(zipped([("b.txt", TEXT), *left_out]))
        with zipfile.ZipFile(content, "a") as archive:
            archive.writestr(link, "/etc/passwd")
        assert listed(tmp_path / "a.zip", content.getvalue()) == ["b.txt"]

    @pytest.mark.filterwarnings("ignore:Duplicate name")
    def test_of_two_files_with_one_name_the_last_is_read(self, tmp_path: Path) -> None:
        path = tmp_path / "a.zip"
        assert listed(path, zipped([("a.txt", "first"), ("/a.txt", "second")])) == ["a.txt"]
        (found,) = list_archive(str(path), path.stat().st_size, path.stat().st_mtime)
        assert isinstance(found, ArchiveMember)
        with path.open("rb") as raw, open_part(raw, found.part) as content:
            assert content.read() == b"second"

    _PART = st.text(st.sampled_from("ab中-_~ #"), min_size=1, max_size=3)

    @given(st.sets(st.lists(_PART, min_size=1, max_size=3).map("/".join), max_size=8))
    def test_the_order_is_that_of_the_unpacked_folder(
        self, tmp_path_factory: pytest.TempPathFactory, found: set[str]
    ) -> None:
        # No name is a folder of another one.
        inner = {one for one in found if not any(other.startswith(f"{one}/") for other in found)}
        folder = tmp_path_factory.mktemp("f")
        for name in inner:
            write(folder / "x", {name: "text"})
        (folder / "x.zip").write_bytes(zipped((name, "text") for name in inner))
        list_archive.cache_clear()
        unpacked = names([str(folder / "x")]) if inner else []
        packed = names([str(folder / "x.zip")])
        assert [name.replace("x.zip/", "x/") for name in packed] == unpacked


class TestNesting:
    @pytest.fixture
    def nested(self, tmp_path: Path) -> Path:
        """A folder with an archive that has another one between two files."""
        inner = zipped([("t.txt", TEXT), ("deep.zip", zipped([("u.txt", TEXT)]))])
        folder = tmp_path / "c"
        folder.mkdir()
        members = [("a.txt", prose(1)), ("in/B.ZIP", inner), ("z.txt", prose(1))]
        (folder / "pack.zip").write_bytes(zipped(members))
        return folder

    @pytest.mark.parametrize("source", ["c", "c/pack.zip"])
    def test_an_archive_within_an_archive_is_named_and_the_rest_is_read(
        self, simdup: Command, nested: Path, source: str
    ) -> None:
        ran = simdup("scan", source, "-f", "jsonl")
        found = [json.loads(line) for line in ran.lines]
        assert [one["reason"] for one in found if one["type"] == "skipped"] == [
            "an archive within an archive: unpack it first"
        ]
        assert ran.err.startswith("simdup: c/pack.zip/in/B.ZIP: an archive within an archive: ")
        assert (ran.status, found[-1]["documents"], found[-1]["skipped"]) == (2, 2, 1)

    def test_patterns_that_may_match_in_it_do_not_hide_it(
        self, simdup: Command, nested: Path
    ) -> None:
        for glob in ("*.txt", "t.txt"):
            ran = simdup("scan", "c", "--glob", glob)
            assert (ran.status, "c/pack.zip/in/B.ZIP: an archive" in ran.err) == (2, True)
        ran = simdup("scan", "c", "--exclude", "in/*.ZIP", "--exclude", "*.ZIP")
        assert (ran.status, "B.ZIP: " in ran.err) == (0, False)

    @pytest.mark.parametrize("inner", ["in/B.ZIP", "in/B.ZIP/t.txt", "in/B.ZIP/deep.zip/u.txt"])
    def test_what_is_in_it_cannot_be_a_source(
        self, simdup: Command, nested: Path, inner: str
    ) -> None:
        ran = simdup("compare", "c/pack.zip/a.txt", f"c/pack.zip/{inner}")
        reason = "an archive within an archive: unpack it first"
        assert (ran.status, ran.err) == (2, f"simdup: c/pack.zip/{inner}: {reason}\n")

    def test_dedupe_keeps_it(self, simdup: Command, nested: Path) -> None:
        assert simdup("dedupe", "c", "-o", "out").status == 2
        before = (nested / "pack.zip").read_bytes()
        assert (nested.parent / "out" / "pack.zip").read_bytes() == before


class TestHostile:
    def test_bombs(self, tmp_path: Path) -> None:
        flat = zipped([("a.txt", bytes(8 << 20))])
        refused = ["a.zip: unpacks to more than 200 times its size"]
        assert listed(tmp_path / "a.zip", flat) == refused
        many = zipped([(f"{i}.txt", bytes(100 << 10)) for i in range(40)])
        assert listed(tmp_path / "a.zip", many) == refused

    def test_members_that_overlap(self, tmp_path: Path) -> None:
        """Many entries for the same bytes, as in Fifield's better zip bomb."""
        content = zipped([("a.txt", bytes(500 << 10))])
        end = content.rfind(b"PK\5\6")
        start = struct.unpack_from("<L", content, end + 16)[0]
        entry, count = content[start:end], 100
        entries = b"".join(entry.replace(b"a.txt", b"%05d" % i) for i in range(count))
        tail = bytearray(content[end:])
        struct.pack_into("<HHL", tail, 8, count, count, len(entries))
        found = listed(tmp_path / "a.zip", content[:start] + entries + tail)
        assert found == ["a.zip: unpacks to more than 200 times its size"]

    def test_a_member_that_lies_about_its_size(self, simdup: Command, tmp_path: Path) -> None:
        content = patched(zipped([("a.txt", bytes(1 << 20))]), "size", 100)
        (tmp_path / "a.zip").write_bytes(content)
        ran = simdup("scan", "a.zip")
        assert ran.status == 2
        assert ran.err.startswith("simdup: a.zip/a.txt: damaged zip data\n")

    def test_too_many_members(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(archives, "_MOST_MEMBERS", 3)
        members = [(f"{i}.txt", TEXT) for i in range(4)]
        assert len(listed(tmp_path / "a.zip", zipped(members[:3]))) == 3
        refused = ["a.zip: has more than 3 members: unpack it"]
        assert listed(tmp_path / "a.zip", zipped(members)) == refused

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            (("flags", 1), "a.txt: encrypted"),
            (("method", 9), "a.txt: compressed by method 9, which is not supported"),
        ],
    )
    def test_members_that_cannot_be_read(
        self, tmp_path: Path, change: tuple[str, int], reason: str
    ) -> None:
        content = patched(zipped([("a.txt", TEXT)]), *change)
        assert listed(tmp_path / "a.zip", content) == [reason]

    @given(st.data())
    def test_damage_anywhere(self, tmp_path: Path, data: st.DataObject) -> None:
        """Whatever is changed, either it is read or an OSError says that it cannot be."""
        content = bytearray(zipped([("a.txt", TEXT), ("b.zip", zipped([("c.txt", TEXT)]))]))
        for _ in range(data.draw(st.integers(1, 4))):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        path = tmp_path / "a.zip"
        path.write_bytes(content)
        list_archive.cache_clear()
        for one in list_archive(str(path), len(content), 0.0):
            if isinstance(one, Skipped):
                continue
            try:
                with path.open("rb") as raw, open_part(raw, one.part) as stream:
                    stream.read()
            except OSError:
                pass


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A folder with an archive that has what is beside it."""
    text = prose(1)
    records = "".join(json.dumps({"text": one}) + "\n" for one in (text, prose(2)))
    members = [
        ("in/a.docx", docx(paragraphs(*text.split("\n")))),
        ("in/train.jsonl", records),
        ("in/feed.csv.gz", gzip.compress(f'text\n"{prose(3)}"\n'.encode())),
        ("other.txt", prose(4)),
        ("empty.txt", ""),
    ]
    folder = tmp_path / "c"
    write(folder, {"b.txt": text})
    (folder / "pack.zip").write_bytes(zipped(members))
    return folder


class TestCommands:
    def test_scan(self, simdup: Command, corpus: Path) -> None:
        ran = simdup("scan", "c", "-f", "jsonl")
        assert ran.status == 0
        found = [json.loads(line) for line in ran.lines]
        (cluster,) = [one for one in found if one["type"] == "cluster"]
        assert [one["document"] for one in cluster["documents"]] == [
            "c/b.txt", "c/pack.zip/in/a.docx", "c/pack.zip/in/train.jsonl#1",
        ]  # fmt: skip
        assert found[-1]["documents"] == 6
        assert simdup("scan", "c/pack.zip", "-f", "jsonl").status == 0

    def test_patterns(self, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        inside = [f"c/pack.zip/{one}" for one in ("in/a.docx", "in/feed.csv.gz", "in/train.jsonl")]
        assert names(["c"], glob=("*.docx",)) == inside[:1]
        assert names(["c"], glob=("pack.zip/in/*",)) == inside
        assert names(["c/pack.zip"], glob=("in/*",)) == inside
        assert names(["c"], glob=("*.zip",), exclude=("in",)) == [
            "c/pack.zip/empty.txt", "c/pack.zip/other.txt",
        ]  # fmt: skip
        assert names(["c"], exclude=("*.zip",)) == ["c/b.txt"]
        found = list_files(["c"], Reading(glob=("*.odt",)))
        assert (found.files, found.archives, len(found.skipped)) == ([], [], 1)

    def test_addresses(self, simdup: Command, corpus: Path) -> None:
        assert simdup("compare", "c/b.txt", "c/pack.zip/in/a.docx").status == 0
        assert simdup("compare", "c/b.txt", "c/pack.zip/in/train.jsonl#1").status == 0
        assert simdup("compare", "c/b.txt", "c/pack.zip/in/train.jsonl#2").status == 1
        for source, reason in (
            ("c/pack.zip", "is an archive: name a file in it, as archive.zip/a.txt"),
            ("c/pack.zip/in", "no such file in c/pack.zip"),
            ("c/pack.zip/other.txt#1", "no such file in c/pack.zip"),
            ("c/pack.zip/in/train.jsonl#9", "no such record: there are 2, counted from 1"),
        ):
            ran = simdup("compare", "c/b.txt", source)
            assert (ran.status, ran.err) == (2, f"simdup: {source}: {reason}\n")
        ran = simdup("scan", "c/b.txt", "c/pack.zip/in/a.docx", "--list", "redundant")
        assert ran.lines == ["c/pack.zip/in/a.docx"]
        names = b"c/b.txt\nc/pack.zip/in/train.jsonl#1\nc/pack.zip/in/a.docx\n"
        ran = simdup("scan", "--files-from", "-", "--list", "redundant", stdin=names)
        assert ran.lines == ["c/pack.zip/in/train.jsonl#1", "c/pack.zip/in/a.docx"]

    def test_an_index(self, simdup: Command, corpus: Path) -> None:
        assert simdup("index", "build", "x.index", "c").status == 0
        ran = simdup("query", "x.index", "c/pack.zip/in/a.docx", "-f", "csv")
        assert [line.split(",")[1] for line in ran.lines[1:]] == [
            "c/b.txt", "c/pack.zip/in/a.docx", "c/pack.zip/in/train.jsonl#1",
        ]  # fmt: skip
        assert "0 documents added" in simdup("index", "add", "x.index", "c").err

    def test_a_page_has_texts_of_files_in_archives(self, corpus: Path) -> None:
        found = scan([str(corpus)])
        numbers = set(range(len(found.inputs.names))) - set(found.inputs.skipped)
        texts = [found.origins.text(number) for number in sorted(numbers)]
        assert texts[0] == prose(1)
        assert str(texts[1]).split() == prose(1).split()
        assert None not in texts

    def test_broken_archives(self, simdup: Command, corpus: Path) -> None:
        (corpus / "broken.zip").write_bytes(b"no archive")
        (corpus / "empty.zip").write_bytes(b"")
        ran = simdup("scan", "c")
        assert ran.status == 2
        assert ran.err.startswith("simdup: c/broken.zip: not a zip file, or damaged\n")
        assert simdup("scan", "c/empty.zip").status == 2
        assert simdup("scan", "c", "--exclude", "broken.zip").status == 0

    def test_a_missing_extra_leaves_the_rest_to_be_read(
        self, simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        members = [("t.parquet", b"x"), ("a.txt", prose(1))]
        (tmp_path / "a.zip").write_bytes(zipped(members))
        ran = simdup("scan", "a.zip")
        assert ran.status == 2
        assert (
            "reading Parquet needs pyarrow\nhint: python -m pip install 'simdup[parquet]'"
            in ran.err
        )
        assert "Read 1 document" in ran.err
        assert simdup("scan", "a.zip/t.parquet").status == 2

    def test_parquet(self, simdup: Command, tmp_path: Path) -> None:
        pa = pytest.importorskip("pyarrow", reason="needs the extra simdup[parquet]")
        import pyarrow.parquet as pq

        target = io.BytesIO()
        pq.write_table(pa.table({"text": [prose(1), prose(1)]}), target)
        (tmp_path / "a.zip").write_bytes(zipped([("t.parquet", target.getvalue())]))
        assert simdup("scan", "a.zip", "--list", "redundant").lines == ["a.zip/t.parquet#2"]


class TestDedupe:
    def test_an_archive_is_copied_whole(self, simdup: Command, corpus: Path) -> None:
        (corpus / "broken.zip").write_bytes(b"no archive")
        before = (corpus / "pack.zip").read_bytes()
        ran = simdup("dedupe", "c", "-o", "out", "--removed", "r.csv")
        assert ran.status == 2
        assert "simdup: c/pack.zip: 2 redundant in it; archives are kept whole\n" in ran.err
        out = corpus.parent / "out"
        assert sorted(one.name for one in out.iterdir()) == ["b.txt", "broken.zip", "pack.zip"]
        assert (out / "pack.zip").read_bytes() == before
        assert (corpus.parent / "r.csv").read_text("utf-8").count("\n") == 1

    def test_a_file_may_be_redundant_because_of_an_archive(
        self, simdup: Command, corpus: Path
    ) -> None:
        ran = simdup("dedupe", "c", "-o", "out", "--prefer", "*.docx")
        assert ran.status == 0
        assert [one.name for one in (corpus.parent / "out").iterdir()] == ["pack.zip"]
        ran = simdup("dedupe", "c/b.txt", "--reference", "c/pack.zip", "-o", "new")
        assert (ran.status, list((corpus.parent / "new").iterdir())) == (0, [])

    def test_a_file_in_an_archive_cannot_be_cleaned(self, simdup: Command, corpus: Path) -> None:
        ran = simdup("dedupe", "c/pack.zip/in/train.jsonl", "-o", "out.jsonl")
        assert (ran.status, "in an archive" in ran.err) == (2, True)
