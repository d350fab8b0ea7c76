"""`simdup audit` and `evaluate --judged`: files, samples, judgements, mistakes."""

import json

import pytest

import simdup as library
from lab.corpora.made import edited, prose, write
from simdup import SimdupError
from simdup.corpus.found_pairs import FoundPair, read_population
from simdup.near.audit_sample import population_of


@pytest.fixture
def found(simdup, tmp_path):
    """Scan texts of which some are redundant; return the path of the result."""
    texts = {
        f"{i}-{copy}.txt": edited(prose(i), copy, 2 * copy) for i in range(4) for copy in range(3)
    }
    write(tmp_path / "texts", texts | {"copy.txt": prose(0)})
    simdup("scan", "texts", "-s", "0.5", "-o", "found.jsonl", "-q")
    return tmp_path / "found.jsonl"


def line(decision, *documents, seed=1, sample=200, **more):
    values = {"type": "decision", "decision": decision, "documents": documents}
    return json.dumps(values | {"seed": seed, "sample": sample} | more)


def redundant(path):
    """Return the redundant documents of a result, each with the one that stays."""
    clusters = [json.loads(one) for one in path.read_text().splitlines()]
    return [
        (cluster["documents"][0]["document"], one["document"])
        for cluster in clusters
        if cluster["type"] == "cluster"
        for one in cluster["documents"]
        if one["role"] == "redundant"
    ]


def judged(path, *lines):
    path.write_text("\n".join(lines) + "\n")


# -- what is judged --------------------------------------------------------------------------------


def test_redundant_documents_are_judged_with_what_stays(found):
    population = read_population(str(found))
    assert population.removal
    assert [(one.stays, one.goes) for one in population.pairs] == redundant(found)
    assert all(one.similarity is not None for one in population.pairs)


def test_results_without_near_duplicates_are_refused(simdup, tmp_path):
    write(tmp_path / "texts", {f"{i}.txt": f"{prose(1)}\n{prose(i)}" for i in (2, 3)})
    simdup("dedupe", "texts", "--unit", "line", "--removed", "parts.jsonl", "-o", "out", "-q")
    for name in ("p.csv", "p.jsonl", "rates.jsonl", "parts.jsonl"):
        if name != "parts.jsonl":
            simdup("passages", "texts", "-o", name, "-q", *["--rates"] * (name[0] == "r"))
        done = simdup("audit", name, "-o", "page.html")
        command = "dedupe --unit" if name == "parts.jsonl" else "passages"
        told = f"{name}: is of simdup {command}, which finds no near-duplicates"
        assert (done.status, told in done.err) == (2, True)


def test_forms_of_a_result_have_the_same_pairs(simdup, found, tmp_path):
    simdup("scan", "texts", "-s", "0.5", "-o", "found.csv", "-q")
    simdup("dedupe", "texts", "-s", "0.5", "-o", "clean", "--removed", "removed.csv", "-q")
    simdup("dedupe", "texts", "-s", "0.5", "-o", "again", "--removed", "removed.jsonl", "-q")
    of = {name: sorted(read_population(str(tmp_path / name)).pairs) for name in (
        "found.jsonl", "found.csv", "removed.csv", "removed.jsonl")}  # fmt: skip
    assert of["found.jsonl"] == of["found.csv"] == of["removed.csv"] == of["removed.jsonl"]
    result = library.scan(str(tmp_path / "texts"), similarity=0.5)
    ours = [
        (one.stays.removeprefix(f"{tmp_path}/"), one.similarity)
        for one in population_of(result).pairs
    ]
    assert sorted(ours) == sorted((one.stays, one.similarity) for one in of["found.jsonl"])


def test_listed_pairs_are_judged_as_they_are(simdup, found, tmp_path):
    simdup("scan", "texts", "-s", "0.5", "--pairs", "-o", "pairs.jsonl", "-q")
    simdup("scan", "texts", "-s", "0.5", "--pairs", "-o", "pairs.csv", "-q")
    population = read_population(str(tmp_path / "pairs.jsonl"))
    assert not population.removal
    assert len(population.pairs) == len((tmp_path / "pairs.csv").read_text().splitlines()) - 1
    assert set(read_population(str(tmp_path / "pairs.csv")).pairs) == set(population.pairs)
    done = simdup("audit", "pairs.jsonl", "-o", "page.html")
    assert "listed pairs (seed 1)" in done.err


def test_each_redundant_document_of_a_cluster_has_its_own(tmp_path):
    members = [
        {"document": "a", "role": "kept", "kept": "a"},
        {"document": "b", "role": "redundant", "similarity": 0.9, "kept": "a"},
        {"document": "r", "role": "kept", "kept": "r"},
        {"document": "c", "role": "redundant", "similarity": None, "kept": "r"},
    ]  # fmt: skip
    path = tmp_path / "found.jsonl"
    path.write_text(json.dumps({"type": "cluster", "documents": members}))
    assert read_population(str(path)).pairs == (FoundPair("a", "b", 0.9), FoundPair("r", "c", None))


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "is empty"),
        ("a,b\n", "has no redundant document and no pair"),
        ('{"type": "summary"}\n', "has no redundant document and no pair"),
        ('{"type": "cluster"}\n', ":1: not a line written by simdup"),
        ('{"type": "pair", "a": 1, "b": "x"}\n', ":1: not a line written by simdup"),
        ("{\n", ":1: not a line written by simdup"),
        ("name,size\nx,1\n", "columns name, size: not those of a result"),
        ("a,b,similarity\nx,y,2\n", "a similarity is not a number from 0 to 1"),
        ("a,b,similarity\nx\n", "row 2: 3 columns needed, found 1"),
        ("cluster,role,document\n1,kept,a\n1,redundant,b\n", "not those of a result"),
    ],
)
def test_what_is_no_result_is_refused(simdup, tmp_path, content, what):
    (tmp_path / "found").write_text(content)
    done = simdup("audit", "found", "-o", "page.html")
    assert (done.status, done.out) == (2, b"")
    assert what in done.err
    assert not (tmp_path / "page.html").exists()


# -- the texts -------------------------------------------------------------------------------------


def test_names_of_records_need_their_source(simdup, tmp_path):
    records = [{"id": f"n{i}", "text": edited(prose(1), i, i)} for i in range(3)]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, records)))
    simdup("scan", "r.jsonl", "--id-field", "id", "-o", "found.jsonl", "-q")
    alone = simdup("audit", "found.jsonl", "-o", "page.html")
    assert alone.status == 2
    assert "none of its 3 documents can be read again" in alone.err
    assert "hint: name the SOURCEs of the scan after FOUND" in alone.err
    # One record lacks the field, as the scan knew: it is not what is wrong here.
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, [*records, {"id": "n9"}])))
    forgot = simdup("audit", "found.jsonl", "r.jsonl", "-o", "page.html")
    assert "none of its 3 documents can be read again" in forgot.err
    assert "hint: read the SOURCEs as the scan did, with its --id-field" in forgot.err
    named = simdup("audit", "found.jsonl", "r.jsonl", "--id-field", "id", "-o", "page.html")
    assert named.status == 0
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, records)))
    simdup("scan", "r.jsonl", "-o", "places.jsonl", "-q")
    assert simdup("audit", "places.jsonl", "-o", "other.html").status == 0


def test_a_text_that_is_gone_is_an_error_and_the_rest_is_shown(simdup, found, tmp_path):
    (tmp_path / redundant(found)[0][1]).unlink()
    done = simdup("audit", "found.jsonl", "-o", "page.html")
    assert done.status == 2
    assert redundant(found)[0][1] in done.err
    assert (tmp_path / "page.html").exists()


def test_standard_input_is_read(simdup, found, tmp_path):
    done = simdup("audit", "-", "-o", "page.html", stdin=found.read_bytes())
    assert done.status == 0
    both = simdup("audit", "-", "-", "-o", "page.html", stdin=b"")
    assert "only one of FOUND and SOURCE can be standard input" in both.err


def test_a_sample_says_what_it_is_of(simdup, found):
    number = len(redundant(found))
    done = simdup("audit", "found.jsonl", "-o", "page.html", "--sample", "999")
    assert f"Drew {number} of {number} redundant documents" in done.err
    assert "then run: simdup evaluate found.jsonl --judged decisions.jsonl" in done.err
    few = simdup("audit", "found.jsonl", "-o", "page.html", "--sample", "2", "--seed", "5")
    assert (
        f"Drew 2 of {number} redundant documents, each with the one that stays instead (seed 5)."
        in few.err
    )
    assert simdup("audit", "found.jsonl", "-o", "page.html", "-q").err == ""
    chinese = simdup("audit", "found.jsonl", "-o", "page.html", "--lang", "zh").err
    assert "种子 1" in chinese


# -- what judgements say ---------------------------------------------------------------------------


def test_all_judged_is_known(simdup, found, tmp_path):
    pairs = redundant(found)
    wrong = pairs[:2]
    judged(tmp_path / "d", *(line("distinct" if p in wrong else "duplicates", *p) for p in pairs))
    out = simdup("evaluate", "found.jsonl", "--judged", "d", "-f", "jsonl").lines
    *bands, total = map(json.loads, out)
    share = round(1 - 2 / len(pairs), 4)
    assert (total["type"], total["precision"], total["interval"]) == (
        "precision",
        share,
        [share] * 2,
    )
    assert sum(band["pairs"] for band in bands) == total["pairs"] == len(pairs)
    assert [band["type"] for band in bands] == ["band"] * len(bands)
    text = simdup("evaluate", "found.jsonl", "--judged", "d").text
    assert f"precision              {share:.4f}\n" in text
    assert f"{len(pairs) - 2} duplicate, 2 different, 0 cannot say; 0 not judged" in text
    assert 'cannot say" counts' not in text


def test_what_does_not_count_is_told(simdup, found, tmp_path):
    first, second, *_ = redundant(found)
    judged(
        tmp_path / "d",
        line("duplicates", *first),
        line("unsure", *second[::-1]),
        line("distinct", "x", "y"),
        json.dumps({"type": "decision", "decision": "keep", "keep": "a", "documents": ["a"]}),
        json.dumps({"type": "note"}),
    )
    done = simdup("evaluate", "found.jsonl", "--judged", "d")
    assert done.status == 0
    assert "d: judgements of pairs that are not in the sample, which do not count: 1" in done.err
    assert "d: decisions that are no judgements of an audit, which do not count: 1" in done.err
    assert "pairs in bands without a judgement" in done.err
    assert '"cannot say" counts' in done.text
    assert simdup("evaluate", "found.jsonl", "--judged", "d", "--lang", "zh").text.startswith(
        "样本"
    )


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        (["{"], "line 1: not a JSON object"),
        ([line("maybe", "a", "b")], "line 1: 'decision' is none of duplicates, distinct, unsure"),
        ([line("distinct", "a")], "line 1: 'documents' is no list of two names"),
        ([line("distinct", "a", "b", seed=-1)], "'seed' is no whole number"),
        ([line("distinct", "a", "b", sample="x")], "'sample' is no whole number"),
        ([line("distinct", "a", "b", seed=1), line("distinct", "a", "b", seed=2)],
         "has judgements of audits with different seeds: 1, 2"),
        ([json.dumps({"type": "decision", "decision": "distinct", "documents": ["a", "b"]})],
         "has no judgement of an audit"),
        ([line("distinct", "a", "b")], "judges no pair that is drawn from FOUND"),
    ],
)  # fmt: skip
def test_what_are_no_judgements_is_refused(simdup, found, tmp_path, lines, what):
    judged(tmp_path / "d", *lines)
    done = simdup("evaluate", "found.jsonl", "--judged", "d")
    assert (done.status, done.out) == (2, b"")
    assert what in done.err


def test_a_truth_or_judgements(simdup, found, tmp_path):
    assert "missing TRUTH (or --judged FILE)" in simdup("evaluate", "found.jsonl").err
    (tmp_path / "t.csv").write_text("a,b\nx,y\n")
    judged(tmp_path / "d", line("duplicates", *redundant(found)[0]))
    both = simdup("evaluate", "found.jsonl", "t.csv", "--judged", "d")
    assert both.status == 2
    assert "--judged takes the place of TRUTH" in both.err
    scored = simdup("evaluate", "found.jsonl", "--judged", "d", "--min-score", "0.5")
    assert scored.status == 0


def test_a_larger_sample_takes_in_a_smaller_one(simdup, found, tmp_path):
    """What was judged stays judged; the sample is the larger one."""
    pairs = redundant(found)
    judged(
        tmp_path / "d",
        line("duplicates", *pairs[0], sample=1000),
        line("distinct", *pairs[1], sample=1),
    )
    total = json.loads(simdup("evaluate", "found.jsonl", "--judged", "d", "-f", "jsonl").lines[-1])
    assert total["not_drawn"] == 0


def test_dedupe_follows_judgements(simdup, found, tmp_path):
    (stays, goes), other, *_ = redundant(found)
    judged(tmp_path / "d", line("distinct", stays, goes), line("unsure", *other))
    left = simdup("dedupe", "texts", "-s", "0.5", "--decisions", "d", "--dry-run", "-q").text
    assert goes not in left
    assert other[1] in left


# -- from Python -----------------------------------------------------------------------------------


def test_results_are_audited_and_evaluated(tmp_path):
    texts = {i: edited(prose(1), i, i) for i in range(4)}
    result = library.scan(texts, similarity=0.5)
    sample = library.audit(result, tmp_path / "page.html", sample=2, seed=3)
    assert len(sample.pairs) == 2
    judged(tmp_path / "d", *(line("duplicates", *p.key, seed=3, sample=2) for p in sample.pairs))
    found = library.evaluate(result, judged=tmp_path / "d")
    assert found.precision == 1
    assert found.interval[1] == 1
    with pytest.raises(SimdupError, match="excludes TRUTH"):
        library.evaluate(result, [("a", "b")], judged=tmp_path / "d")
    with pytest.raises(TypeError, match="expected a path or a Result"):
        library.evaluate([("a", "b")], judged=tmp_path / "d")
    with pytest.raises(TypeError, match="needs truth or judged"):
        library.evaluate(result)


@pytest.mark.parametrize("fields", [{"sample": 0}, {"seed": -1}])
def test_numbers_are_checked(tmp_path, fields):
    result = library.scan({"a": prose(1), "b": prose(1)})
    with pytest.raises(SimdupError, match="expected a number from"):
        library.audit(result, tmp_path / "page.html", **fields)
    with pytest.raises(SimdupError, match="no redundant document"):
        library.audit(library.scan({"a": prose(1)}), tmp_path / "page.html")


def test_files_are_audited_from_python(found, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(library.audit("found.jsonl", "page.html", "texts").pairs) == len(redundant(found))
    with pytest.raises(SimdupError):
        library.audit("found.jsonl", "found.jsonl")
