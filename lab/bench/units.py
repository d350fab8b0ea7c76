"""Repeated parts: equality with the definition, bytes that stay, idempotence; speed and memory."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

from lab.corpora import real
from lab.measuring import MB, peak_memory, simdup
from lab.oracles import units as oracle
from lab.reporting import Row, Table, tabulate
from lab.trial import Trial, say
from simdup import dedupe
from simdup.corpus.record_fields import without_spans
from simdup.model.cleaned import UNITS
from simdup.model.settings import Reading

CODECS = ("utf-8", "utf-8-sig", "utf-16", "gb18030")


def units(trial: Trial) -> Iterator[Table]:
    """Repeated parts: equality with the slow definition, bytes left equal, speed and memory."""
    note = "stay: parts that are kept because those around them would become one"
    yield tabulate("Made corpora, beside the definition", _made(trial), note)
    note = (
        "passages of laws and manual pages from random places, each about three times; again: what "
        "a second run cuts; peak: PSS of all processes"
    )
    yield tabulate("A corpus of records, two processes", _speed(trial), note)


def _made(trial: Trial) -> Iterator[Row]:
    """Cut made documents, and compare parts and bytes with the definition, one by one."""
    chance = random.Random(5)
    source = [
        part
        for text in real.laws_and_manual(trial.pick(20, 200))
        for part in oracle.parts(text, "sentence")
    ]
    for unit in UNITS:
        figures = dict.fromkeys(("documents", "parts", "cut", "stay", "other", "other bytes"), 0)
        for _ in range(trial.pick(20, 300)):
            some = chance.sample(source, 12)
            joints = ("", "", " ", "\n", "\n\n", "\r\n")
            texts = [
                "".join(chance.choice(some) + chance.choice(joints) for _ in range(8))
                for _ in range(6)
            ]
            for name, figure in _compared(trial, texts, unit, chance.choice(CODECS)).items():
                figures[name] += figure
        if figures["other"] or figures["other bytes"]:
            trial.fail(f"{unit}: {figures}")
        yield {"unit": unit, **figures}


def _compared(trial: Trial, texts: list[str], unit: str, codec: str) -> dict[str, int]:
    """Cut texts in files of an encoding, and return what is and what is not as it should be."""
    folder, out = trial.folder / "texts", trial.folder / "cut"
    folder.mkdir(exist_ok=True)
    for number, text in enumerate(texts):
        (folder / f"{number}.txt").write_bytes(text.encode(codec))
    found = dedupe(folder, unit=unit, output=out, force=True, reading=Reading(encoding=codec))
    gone = oracle.left_out(texts, unit, 1, 20)
    wanted = sum(map(sum, gone))
    names = [str(folder / f"{number}.txt") for number in range(len(texts))]
    spans: dict[str, list[tuple[int, int]]] = {name: [] for name in names}
    for one in found.removed:
        spans[one.document].append((one.start, one.end))
    other = bytes_ = 0
    for number, (name, text) in enumerate(zip(names, texts, strict=True)):
        left = without_spans(text, spans[name])
        bytes_ += (out / f"{number}.txt").read_bytes() != left.encode(codec)
        parts = oracle.parts(text, unit)
        cut = [part for part, is_cut in zip(parts, gone[number], strict=True) if is_cut]
        other += sum(text[start:end].strip() not in cut for start, end in spans[name])
        other += len(oracle.parts(left, unit)) != len(parts) - len(spans[name])
    return {
        "documents": len(texts), "parts": sum(map(len, gone)), "cut": len(found.removed),
        "stay": wanted - len(found.removed), "other": other, "other bytes": bytes_,
    }  # fmt: skip


def _speed(trial: Trial) -> Iterator[Row]:
    """Cut lines, sentences and paragraphs out of records."""
    say("units: writing records")
    texts = real.numbered(real.long_texts(trial.pick(2, 100) * 10**6))
    path = real.write_records(texts, trial.folder / "records.jsonl").path
    out = trial.folder / "out.jsonl"
    for unit in UNITS:
        say(f"units: {unit}")
        arguments = ("dedupe", path, "--unit", unit, "-o", out, "-q", "-j", "2")
        done = []
        for _ in range(trial.rounds):
            out.unlink(missing_ok=True)
            done.append(simdup(*arguments, "--removed", trial.folder / "removed.jsonl"))
        removed = (trial.folder / "removed.jsonl").read_text("utf-8").splitlines()
        characters = sum(one["end"] - one["start"] for one in map(json.loads, removed))
        again = simdup("dedupe", out, "--unit", unit, "--dry-run", "-q").output.count(b"\n") - 1
        out.unlink()
        yield {
            "unit": unit, "MB": path.stat().st_size / MB, "s": min(one.seconds for one in done),
            "CPU s": min(one.cpu for one in done), "peak MB": peak_memory(*arguments),
            "cut": len(removed), "characters": characters, "again": again,
        }  # fmt: skip
        out.unlink(missing_ok=True)
