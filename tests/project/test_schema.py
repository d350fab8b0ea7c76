"""The JSON Schema describes what the commands write, and `docs/formats.md` names all of it."""

import json
from importlib import resources
from typing import Any

import pytest
import workbench
from support import ROOT, Command

from simdup.model.formats import TABLES, TYPED_LINES

FORMATS = (ROOT / "docs" / "formats.md").read_text("utf-8")
SCHEMA: dict[str, Any] = json.loads(
    (resources.files("simdup.show") / "jsonl.schema.json").read_text("utf-8")
)
LINES = [SCHEMA["$defs"][one["$ref"].rpartition("/")[2]] for one in SCHEMA["oneOf"]]
# The keys that every line of a type has.
REQUIRED = {
    type_: set.intersection(
        *(set(line["required"]) for line in LINES if line["properties"]["type"]["const"] == type_)
    )
    for type_ in TYPED_LINES
}

COMMANDS = [
    "scan examples/corpus --containment 0.1 --cosine 0.1",
    "scan examples/corpus -s 0.9",
    "scan examples/corpus --no-verify",
    "scan corpus --reference examples/corpus --reference archive",
    "scan train.jsonl --method pstable",
    "scan examples/corpus --pairs --containment 0.1 --cosine 0.1",
    "scan examples/corpus --baseline known",
    "scan examples/corpus --pairs --baseline known",
    "compare a.txt b.txt",
    "compare a.txt c.txt --containment 0.5",
    "compare a.txt b.txt --same title",
    "compare a.txt b.txt --diff",
    "compare examples/handbook/en/returns.md examples/handbook/en/questions.md",
    "passages essays homework library",
    "passages examples/papers --rates --leave-out references,quotes",
    "passages essays homework library --text",
    "conflicts examples/handbook/en",
    "conflicts forms.jsonl",
    "conflicts examples/handbook/zh examples/handbook/en --baseline conflicts.known",
    "query seen.index delivery --add",
    "query seen.index corpus",
    "index info seen.index",
]


def test_what_is_written_is_valid(simdup: Command, tmp_path: Any) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    workbench.build(tmp_path)
    simdup("index", "build", "seen.index", "examples/corpus")
    simdup("scan", "corpus/news", "--baseline", "known", "--update-baseline")
    rule = (
        "Keep the bottle in the dark, shake it well before use, and take {} ml of it twice a day. "
    )
    rule += (
        "Tell your doctor what else you take, and bring the bottle with you when you come again."
    )
    lines = "\n".join(json.dumps({"text": rule.format(n)}) for n in range(2, 7))
    (tmp_path / "forms.jsonl").write_text(lines, "utf-8")
    known = ("--baseline", "conflicts.known", "--update-baseline")
    simdup("conflicts", "examples/handbook/en", *known)
    written = [simdup(*command.split(), "-f", "jsonl").out for command in COMMANDS]
    simdup("dedupe", "corpus", "-o", "clean", "--removed", "removed.jsonl", "--by", "folder")
    lossless = ("--lossless", "--removed", "lossless.jsonl")
    simdup("dedupe", "examples/corpus", "-o", "contained", *lossless)
    units = ("--unit", "line", "--min-length", "2", "--removed", "parts.jsonl")
    simdup("dedupe", "examples/corpus", "-o", "shortened", *units)
    lists = ("removed.jsonl", "lossless.jsonl", "parts.jsonl")
    written += [(tmp_path / name).read_bytes() for name in lists]
    leaks = ("--against", "examples/leaks/evals", "--against-field", "question", "--evidence", "-")
    written.append(simdup("decontaminate", "examples/leaks/train.jsonl", *leaks).out)
    prints = simdup("fingerprint", "-q", "corpus").out
    written += [simdup(name, "-f", "jsonl", stdin=prints).out for name in ("cluster", "pairs")]
    found = simdup("scan", "examples/corpus", "-f", "jsonl").out
    written.append(simdup("evaluate", "-f", "jsonl", "-", "examples/truth.tsv", stdin=found).out)
    (tmp_path / "found.jsonl").write_bytes(found)
    judged = ("--judged", "examples/judged.jsonl", "-f", "jsonl")
    written.append(simdup("evaluate", "found.jsonl", *judged).out)
    records = [json.loads(line) for chunk in written for line in chunk.splitlines()]
    assert {record["type"] for record in records} == set(TYPED_LINES)
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for record in records:
        errors = [error.message for error in validator.iter_errors(record)]
        assert errors == [], record
    for record in {record["type"]: record for record in records}.values():
        assert not validator.is_valid(record | {"unheard": 1})
        for name in record.keys() & REQUIRED[record["type"]]:
            assert not validator.is_valid({k: v for k, v in record.items() if k != name}), name


def test_every_type_has_a_schema() -> None:
    assert {line["properties"]["type"]["const"] for line in LINES} == set(TYPED_LINES)


def test_the_page_names_every_type_and_column() -> None:
    for name in [*TYPED_LINES, *(column for columns in TABLES for column in columns)]:
        assert f"`{name}`" in FORMATS, name


@pytest.mark.parametrize("line", LINES, ids=lambda line: line["properties"]["type"]["const"])
def test_the_page_names_every_field(line: dict[str, Any]) -> None:
    for name in line["properties"]:
        assert f"`{name}`" in FORMATS, name
