"""The values that travel between the rooms: frozen, slotted, without behaviour of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, NamedTuple

from simdup.errors import SimdupError


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides a fingerprint, but for the IDF model's content.

    The fields and their values are those of the options of the same names; see the README's
    chapter on recipes.  A field with a wrong value raises `SimdupError`.

    Attributes
    ----------
    tokens : str
        ``words``, ``split``, ``tagged``, ``chars:N`` or ``ngrams:N``.
    fold : bool
        Whether texts are folded before anything else.
    weight : str
        ``tfidf``, ``tf``, ``logtf``, ``binary`` or ``tf2``.
    idf : str
        ``auto``, ``corpus``, ``builtin``, or the path of a model that `fit` wrote.
    min_df : int
        With a corpus's model, terms seen in fewer documents are left out.
    top : int
        How many of the heaviest terms are kept; 0 keeps all.
    cap : float
        The largest share of the kept terms' weight that one may hold; 0 switches the cap off.
    hash : str
        ``blake2b``, ``md5``, ``sha1``, ``sha256``, ``bkdr`` or ``string``.
    bits : int
        Bits of a fingerprint: a multiple of 8, up to 256.
    ties : str
        ``one`` or ``zero``: the bit where a sum is 0.
    dictionary : str or None
        Path of a user dictionary in jieba's format.
    """

    tokens: str = "words"
    fold: bool = True
    weight: str = "tfidf"
    idf: str = "auto"
    min_df: int = 2
    top: int = 20
    cap: float = 0.10
    hash: str = "blake2b"
    bits: int = 64
    ties: str = "one"
    dictionary: str | None = None

    def __post_init__(self) -> None:
        """Refuse values that no recipe has."""
        _check("tokens", self.tokens, TOKENS.fullmatch(self.tokens), TOKENS_HINT)
        for name, allowed in CHOICES.items():
            value = getattr(self, name)
            _check(name, value, value in allowed, "one of " + ", ".join(allowed))
        _check("bits", self.bits, 8 <= self.bits <= 256 and self.bits % 8 == 0, BITS_HINT)
        most = DIGEST_BITS.get(self.hash, 256)
        _check("bits", self.bits, self.bits <= most, f"{self.hash} has {most} bits")
        _check("cap", self.cap, 0 <= self.cap <= 1, "a share from 0 (off) to 1")
        _check("top", self.top, self.top >= 0, "0 (all terms) or more")
        _check("min-df", self.min_df, self.min_df >= 0, "0 or more")

    @property
    def uses_idf(self) -> bool:
        """Whether the weights need an inverse document frequency at all."""
        return self.weight in ("tfidf", "logtf")


TOKENS = re.compile(r"words|split|tagged|(chars|ngrams):[1-9]\d{0,3}")
TOKENS_HINT = "words, split, tagged, chars:N or ngrams:N"
BITS_HINT = "a multiple of 8 from 8 to 256"
# Bits of the digests that have fewer than a fingerprint may.
DIGEST_BITS = {"md5": 128, "sha1": 160}
CHOICES = {
    "weight": ("tfidf", "tf", "logtf", "binary", "tf2"),
    "hash": ("blake2b", "md5", "sha1", "sha256", "bkdr", "string"),
    "ties": ("one", "zero"),
}


def _check(name: str, value: object, right: object, hint: str) -> None:
    if not right:
        raise SimdupError(f"--{name}", f"{value!r} is no value for it", hint)


RECIPES = {
    "default": Recipe(),
    "plain": Recipe(cap=0.0, min_df=0),
    "string128": Recipe(
        tokens="split", fold=False, weight="binary", top=0, cap=0.0, hash="string", bits=128
    ),
    "bkdr32": Recipe(
        tokens="tagged",
        fold=False,
        weight="tf2",
        top=0,
        cap=0.0,
        hash="bkdr",
        bits=32,
        ties="zero",
    ),
}


def named_recipe(name: str, **changes: Any) -> Recipe:
    """Return the recipe of that name with single fields changed.

    Raises
    ------
    SimdupError
        If there is no recipe of that name.
    """
    if name not in RECIPES:
        raise SimdupError("--recipe", f"no recipe {name!r}", "one of " + ", ".join(RECIPES))
    return replace(RECIPES[name], **changes)


@dataclass(frozen=True, slots=True)
class Document:
    """One text with a name.

    Attributes
    ----------
    name : str
        How results name it; undecodable bytes of a path stand as surrogate escapes.
    text : str
        The decoded text, as it was.
    modified : float
        When its file was last changed, seconds since 1970; 0 where there is no file.
    note : str
        What a person should know of how it was read; empty where there is nothing.
    path : str
        The file it comes from; empty where there is none.
    record : int
        Its number in a file of records, from 1; 0 for a file of its own.
    """

    name: str
    text: str
    modified: float = 0.0
    note: str = ""
    path: str = ""
    record: int = 0


@dataclass(frozen=True, slots=True)
class Skipped:
    """A document that could not take part.

    Attributes
    ----------
    document : str
        Its name.
    reason : str
        Why, in a few words.
    error : bool
        Whether that is a fault (status 2) or in the nature of the file (empty, binary).
    """

    document: str
    reason: str
    error: bool = False


class Measures(NamedTuple):
    """What two texts were found to have in common, 0 to 1 each, unrounded.

    Attributes
    ----------
    similarity : float or None
        Resemblance; None where it was not measured.
    containment, cosine : float or None
        None where they were not asked for.
    """

    similarity: float | None = None
    containment: float | None = None
    cosine: float | None = None


UNMEASURED = Measures()


class Pair(NamedTuple):
    """Two near-duplicates.

    Attributes
    ----------
    a, b : str
        The documents' names, in input order.
    distance : int
        Hamming distance of their fingerprints.
    similarity, containment, cosine : float or None
        As in `Measures`.
    exact : bool
        Whether their texts are known to be the same, after folding and without white space.
    """

    a: str
    b: str
    distance: int
    similarity: float | None
    containment: float | None = None
    cosine: float | None = None
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """One document of a cluster.

    Attributes
    ----------
    document : str
        Its name.
    role : str
        ``kept`` or ``redundant``.
    fingerprint : str
        Its fingerprint as lower-case hex digits.
    distance : int or None
        Hamming distance to the kept one; None for the kept one itself.
    similarity, containment, cosine : float or None
        What it has in common with the kept one, as in `Measures`; None for the kept one itself.
    number : int
        The document's place in the input, from 0.
    """

    document: str
    role: str
    fingerprint: str
    distance: int | None = None
    similarity: float | None = None
    containment: float | None = None
    cosine: float | None = None
    number: int = -1


@dataclass(frozen=True, slots=True)
class Cluster:
    """Documents that pairs join.

    Attributes
    ----------
    number : int
        From 1, in the order of the output.
    documents : tuple of Member
        The kept one first, the others in input order.
    pairs : tuple of Pair
        Ordered by their documents' places in the input.
    chained : bool
        Whether some document is joined to the kept one by others only.
    """

    number: int
    documents: tuple[Member, ...]
    pairs: tuple[Pair, ...]
    chained: bool = False

    @property
    def diameter(self) -> int:
        """The largest distance among the pairs."""
        return max(pair.distance for pair in self.pairs)

    @property
    def weakest(self) -> float | None:
        """The least similarity among the pairs; None where none was measured."""
        measured = [pair.similarity for pair in self.pairs if pair.similarity is not None]
        return min(measured, default=None)


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of a run.

    Attributes
    ----------
    documents : int
        Documents that took part.
    clusters, redundant, skipped, pairs : int
        How many of each were found.
    candidates : int
        Pairs of fingerprints within the distance, before the texts were looked at.
    seconds : float
        How long the run took.
    recipe : dict
        The resolved recipe with its digest; empty where it is unknown.
    """

    documents: int
    clusters: int
    redundant: int
    skipped: int
    pairs: int
    candidates: int
    seconds: float
    recipe: dict[str, Any]


# Documents with fewer terms are near-duplicates only where their texts are the same: so few words
# give no fingerprint worth the name.
FEW_TERMS = 3

KEEP = ("first", "longest", "shortest", "newest", "oldest")
METHODS = ("simhash", "minhash", "pstable")
LINKAGES = ("single", "star")


@dataclass(frozen=True, slots=True)
class Criteria:
    """When two documents are near-duplicates, and which one stays.

    Attributes
    ----------
    distance : int
        The largest Hamming distance of their fingerprints, with the method ``simhash``.
    similarity : float
        The least resemblance of their texts.
    verify : bool
        Whether the texts are looked at.
    shingle : int or str
        Characters of a shingle, or ``words:N``.
    keep : str
        One of `KEEP`: which document of a cluster stays.
    containment, cosine : float or None
        The least of these measures; None where it does not matter.
    method : str
        One of `METHODS`: how pairs are found.
    recall : float
        The share of the pairs at `similarity` that ``minhash`` and ``pstable`` are to find.
    linkage : str
        One of `LINKAGES`: ``single`` joins whatever pairs connect, ``star`` only pairs of the kept
        one.
    prefer : tuple of str
        Shell patterns of names: a document that matches stays before one that does not, and one
        that matches an earlier pattern before one that matches a later.
    """

    distance: int = 3
    similarity: float = 0.8
    verify: bool = True
    shingle: int | str = 5
    keep: str = "first"
    containment: float | None = None
    cosine: float | None = None
    method: str = "simhash"
    recall: float = 0.99
    linkage: str = "single"
    prefer: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse values that make no sense."""
        if self.distance < 0:
            raise SimdupError("--distance", f"{self.distance} is negative", "0 or more bits")
        for name in ("similarity", "containment", "cosine"):
            value = getattr(self, name)
            _check(name, value, value is None or 0 <= value <= 1, "a share from 0 to 1")
        _check("recall", self.recall, 0 < self.recall < 1, "a share between 0 and 1")
        right = re.fullmatch(r"(words:)?[1-9]\d{0,3}", str(self.shingle))
        _check("shingle", self.shingle, right, "N characters, or words:N")
        for name, allowed in (("keep", KEEP), ("method", METHODS), ("linkage", LINKAGES)):
            value = getattr(self, name)
            _check(name, value, value in allowed, "one of " + ", ".join(allowed))
        if not self.verify and not (self.containment is None and self.cosine is None):
            raise SimdupError("--no-verify", "does not go with --containment or --cosine")

    @property
    def extras(self) -> tuple[str, ...]:
        """The measures that are asked for beside the similarity."""
        return tuple(n for n in ("containment", "cosine") if getattr(self, n) is not None)

    @property
    def shingles_words(self) -> bool:
        """Whether shingles are runs of words, not of characters."""
        return str(self.shingle).startswith("words:")

    def met_by(self, measures: Measures) -> bool:
        """Tell whether what was measured is enough; what was not measured does not matter."""
        asked = (self.similarity, self.containment, self.cosine)
        return all(
            least is None or found is None or found >= least
            for least, found in zip(asked, measures, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Result:
    """What a scan found.

    Attributes
    ----------
    clusters : tuple of Cluster
        By falling size, then by first document.
    skipped : tuple of Skipped
        Documents that could not take part.
    notes : tuple of (str, str)
        Names, and what a person should know of how they were read.
    summary : Summary
        The figures.
    hint : str
        An advice, where there is one.
    unique : sequence of str
        Documents in no cluster, in input order.
    references : int
        How many documents, the first of the input, are references.
    """

    clusters: tuple[Cluster, ...]
    skipped: tuple[Skipped, ...]
    notes: tuple[tuple[str, str], ...]
    summary: Summary
    hint: str = ""
    unique: Sequence[str] = ()
    references: int = 0

    def names(self, which: str) -> list[str]:
        """Return the documents that are ``redundant``, ``kept`` or ``unique``, in input order."""
        if which == "unique":
            return list(self.unique)
        members = (member for cluster in self.clusters for member in cluster.documents)
        found = ((m.number, m.document) for m in members if m.role == which)
        return [name for number, name in sorted(found) if number >= self.references]

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """All pairs, cluster by cluster."""
        return tuple(pair for cluster in self.clusters for pair in cluster.pairs)


@dataclass(frozen=True, slots=True)
class Removed:
    """A document that a cleaned corpus is without.

    Attributes
    ----------
    document : str
        Its name.
    reason : str
        ``exact copy``, of the folded text without white space, or ``near-duplicate``.
    distance : int
        Hamming distance to the one that was kept.
    similarity : float or None
        Resemblance to it; None where it was not measured.
    kept : str
        The name of that one.
    """

    document: str
    reason: str
    distance: int
    similarity: float | None
    kept: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Why two documents are near-duplicates, or are not.

    Attributes
    ----------
    a, b : str
        Names.
    duplicates : bool
        The answer.
    distance : int or None
        Hamming distance; None where one of them has no terms.
    bits : int
        Bits of the fingerprints.
    similarity : float
        Resemblance of the texts.
    containment, cosine : float or None
        None where they were not asked for.
    identical : bool
        Whether the folded texts are the same.
    terms : int
        How many terms the document with fewer of them has.
    fingerprints : tuple of (str or None)
        As hex digits.
    bands : tuple of bool
        Which bands are equal: of simhash's distance + 1 the most significant first, of the other
        methods as their signatures have them.
    shared : tuple of (str, float, float)
        Top terms of both with their weights in `a` and in `b`, by falling sum.
    only_a, only_b : tuple of (str, float)
        Top terms of one side only, by falling weight.
    recipe : dict
        The resolved recipe.
    criteria : Criteria
        What was asked.
    """

    a: str
    b: str
    duplicates: bool
    distance: int | None
    bits: int
    similarity: float
    containment: float | None
    cosine: float | None
    identical: bool
    terms: int
    fingerprints: tuple[str | None, str | None]
    bands: tuple[bool, ...]
    shared: tuple[tuple[str, float, float], ...]
    only_a: tuple[tuple[str, float], ...]
    only_b: tuple[tuple[str, float], ...]
    recipe: dict[str, Any]
    criteria: Criteria

    @property
    def agreement(self) -> float | None:
        """The share of bits that agree."""
        return None if self.distance is None else 1 - self.distance / self.bits

    @property
    def ratio(self) -> float | None:
        """The smaller fingerprint divided by the larger; 1 where both are 0."""
        first, second = self.fingerprints
        if first is None or second is None:
            return None
        small, large = sorted((int(first, 16), int(second, 16)))
        return float(small) / float(large) if large else 1.0

    @property
    def few(self) -> bool:
        """Whether one of them has too few terms for anything but identity."""
        return self.terms < FEW_TERMS


class Match(NamedTuple):
    """A document of an index that is near another.

    Attributes
    ----------
    document : str
        Its name.
    distance : int
        Hamming distance of the fingerprints.
    similarity : float or None
        Estimate of the texts' resemblance, 0 to 1; None where there was no text on either side.
    """

    document: str
    distance: int
    similarity: float | None


class Answer(NamedTuple):
    """What an index holds near a document.

    Attributes
    ----------
    document : str
        The document's name.
    matches : tuple of Match
        The best first.
    added : bool
        Whether it was added to the index, having no match.
    """

    document: str
    matches: tuple[Match, ...]
    added: bool = False

    @property
    def new(self) -> bool:
        """Whether there is no match."""
        return not self.matches


@dataclass(frozen=True, slots=True)
class Setting:
    """What a setting finds in the sample.

    Attributes
    ----------
    options : str
        As they are given on the command line.
    pairs : int
        Pairs that it proposes.
    hold : int
        How many of these are true.
    recall : float
        How many of the true ones these are; 1 where there is none.
    per_document : float
        Candidates a document of the sample.
    """

    options: str
    pairs: int
    hold: int
    recall: float
    per_document: float


@dataclass(frozen=True, slots=True)
class Tuning:
    """What a sample tells of the settings.

    Attributes
    ----------
    documents, sample : int
        Documents with words, and how many of them were looked at.
    similarity : float
        The similarity from which on a pair is true: as asked, or as advised.
    true : int
        True pairs of the sample.
    settings : list of Setting
        By method.
    bins : list of (float, float, int)
        The histogram of similarities.
    advice : str
        Options to give to `scan`.
    skipped : list of Skipped
        Documents that could not take part.
    recipe : dict
        The resolved recipe.
    """

    documents: int
    sample: int
    similarity: float
    true: int
    settings: list[Setting]
    bins: list[tuple[float, float, int]]
    advice: str
    skipped: list[Skipped]
    recipe: dict[str, Any]


def recipe_fields(recipe: Recipe) -> dict[str, Any]:
    """Return a recipe's fields under the names of their options, without the unset ones."""
    values = asdict(recipe)
    return {
        field.name.replace("_", "-"): values[field.name]
        for field in fields(recipe)
        if values[field.name] is not None
    }
