"""Star linkage: a document joins a cluster only if it is near the one that is kept."""

from lab.corpora.made import prose
from simdup import scan


def test_a_document_near_a_redundant_one_alone_is_in_no_pair() -> None:
    whole, other = prose(1, 400), prose(2)
    half = [whole[: int(len(whole) * share)] for share in (0.72, 0.85)]
    # It comes first, so its number is the smaller one of the pair.
    texts = {"near half": half[0], "a": other, "b": other + "天", "whole": whole, "half": half[1]}
    single, star = (
        scan(list(texts.items()), "plain", keep="longest", method="minhash", linkage=linkage)
        for linkage in ("single", "star")
    )
    chained = ("near half", "half")
    assert chained in [(pair.a, pair.b) for pair in single.pairs]
    assert [[one.name for one in each.members] for each in star.clusters] == [
        ["b", "a"],
        ["whole", "half"],
    ]
    assert [(pair.a, pair.b) for pair in star.pairs] == [("a", "b"), ("whole", "half")]
