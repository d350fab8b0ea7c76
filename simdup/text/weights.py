"""Weights: from term counts to the few weighted terms that make up a fingerprint.

*Inverse document frequencies* come from the corpus itself, a fitted model, or jieba's table of
270,000 lines ``word value``.  All three answer one question, `Idf.factors`: how much does one
occurrence of a term weigh?

The weights equal those of scikit-learn's `TfidfTransformer`, as tests verify; importing it would
take longer than weighting 100,000 documents.  Documents are processed in chunks, so the memory does
not grow with the corpus.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import NEWER, SimdupError, unreadable
from simdup.base.regular_files import read_named
from simdup.base.when_used import pattern
from simdup.kernels.tables import Values
from simdup.model.recipe import Recipe
from simdup.text.counts import Counts, CsrRows
from simdup.text.tokens import jieba_folder


class IdfTable(NamedTuple):
    """Words with values; the median of all is that of other words."""

    values: Values
    digest: bytes  # 16 bytes that stand for the whole file

    @classmethod
    def parse(cls, content: bytes) -> IdfTable:
        """Return the table of a file: lines of a word, a space and a number."""
        try:
            values = Values(content)
        except ValueError:
            damaged = "jieba's table is damaged"
            raise SimdupError("idf", damaged, "install jieba again", field="idf") from None
        return cls(values, hashlib.blake2b(content, digest_size=16).digest())


@cache
def jieba_idf() -> IdfTable:
    """Return the table of the installed jieba.

    The file is read where it lies: importing jieba for it would cost ten times as much.

    Raises
    ------
    SimdupError
        If jieba is not installed, or its table cannot be read.
    """
    path = jieba_folder() / "analyse" / "idf.txt"
    try:
        return IdfTable.parse(path.read_bytes())
    except OSError as error:
        raise unreadable(str(path), error, "install jieba again") from None


# With at least this many documents with terms, `auto` uses the corpus's own frequencies.
ENOUGH_DOCUMENTS = 200

_MAGIC = b"# simdup-idf 1 "
_ANY_MAGIC = pattern(rb"# simdup-idf (\d{1,9}) ")
_CHECKSUM = 32  # bytes of BLAKE2b at the end of a model file


class Idf(Protocol):
    """A source of inverse document frequencies."""

    @property
    def name(self) -> str:
        """The name in results: ``corpus``, ``builtin``, ``none`` or a path."""

    def factors(self, counts: Counts) -> NDArray[np.float64]:
        """Return the weight of one occurrence of each term (float64[terms])."""

    def frequent(self, counts: Counts, min_df: int) -> NDArray[np.bool_] | None:
        """Return which terms occur in at least `min_df` documents; None if that is unknown."""
        return None

    def digest(self) -> str:
        """Return a digest of everything that decides the factors."""


@dataclass(frozen=True, slots=True)
class Model:
    """Document frequencies learned from a corpus."""

    name: str  # ``corpus``, or the path of the model's file
    documents: int  # documents with terms that the model was learned from
    ids: NDArray[np.uint64]  # uint64[terms]: term hashes, ascending
    df: NDArray[np.int32]  # int32[terms]: how many documents contain each term
    # Digest of what decides which terms a text has; texts that the model weighs have the same.
    terms_digest: str
    # How many documents contain a term that is not listed: 1 if terms of a single document were
    # left out, and only documents of the corpus itself are weighed.
    unlisted: int = 0

    def factors(self, counts: Counts) -> NDArray[np.float64]:
        """Return ln((1 + n) / (1 + df)) + 1 for each term: smooth, as in scikit-learn."""
        df = self.document_frequencies(counts)
        idf: NDArray[np.float64] = np.log((self.documents + 1.0) / (df + 1.0)) + 1.0
        return idf

    def frequent(self, counts: Counts, min_df: int) -> NDArray[np.bool_] | None:
        """Return which terms occur in at least `min_df` documents of the model."""
        return self.document_frequencies(counts) >= min_df

    def document_frequencies(self, counts: Counts) -> NDArray[np.float64]:
        """Return the document frequency of each term; `unlisted` for those the model lacks."""
        if not len(self.ids):
            return np.full(len(counts.ids), float(self.unlisted))
        at = np.minimum(np.searchsorted(self.ids, counts.ids), len(self.ids) - 1)
        listed = self.ids[at] == counts.ids
        return np.where(listed, self.df[at], self.unlisted).astype(np.float64)

    def digest(self) -> str:
        """Return a digest of n and every df."""
        head = f"{self.documents} " + (f"{self.unlisted} " if self.unlisted else "")
        content = hashlib.blake2b(head.encode(), digest_size=16)
        content.update(self.ids.astype("<u8").tobytes())
        content.update(self.df.astype("<i4").tobytes())
        return content.hexdigest()


@dataclass(frozen=True, slots=True)
class Builtin(Idf):
    """The table that ships with jieba, for texts without a corpus."""

    name: str = "builtin"

    def factors(self, counts: Counts) -> NDArray[np.float64]:
        """Return each term's table value: the median for unknown terms, 0 for function words."""
        nothing = _function_words()
        written = [term.encode("utf-8", "surrogatepass") for term in counts.terms]
        values = jieba_idf().values.of(written)
        return np.where([term in nothing for term in counts.terms], 0.0, values)

    def digest(self) -> str:
        """Return a digest of the table and of the function words."""
        words = " ".join(sorted(_function_words())).encode()
        return hashlib.blake2b(jieba_idf().digest + words, digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class NoIdf(Idf):
    """No frequencies, for weights that need none."""

    name: str = "none"

    def factors(self, counts: Counts) -> NDArray[np.float64]:
        """Return 1 for every term."""
        return np.ones(len(counts.ids))

    def digest(self) -> str:
        """Return the empty string: nothing decides the factors."""
        return ""


def learn_model(counts: Counts, terms_digest: str) -> Model:
    """Learn the document frequencies of a corpus; documents without terms do not count."""
    frequencies = counts.document_frequencies()
    return Model("corpus", counts.documents_with_terms, counts.ids, frequencies, terms_digest)


def model_bytes(model: Model) -> bytes:
    """Return the content of a model file: a header line, little-endian arrays, a checksum."""
    head = f"documents={model.documents} terms={len(model.ids)} from={model.terms_digest}\n"
    content = _MAGIC + head.encode() + model.ids.astype("<u8").tobytes()
    content += model.df.astype("<i4").tobytes()
    return content + hashlib.blake2b(content, digest_size=_CHECKSUM).digest()


def read_model(path: str) -> Model:
    """Read a model that `fit` wrote.

    Raises
    ------
    SimdupError
        If the file cannot be read, is not a model, or is damaged.
    """
    return parse_model(read_named(path, "`fit` writes models"), path)


def parse_model(content: bytes, path: str) -> Model:
    """Return the model in the content of a file; see `read_model`."""
    if (found := _ANY_MAGIC.match(content)) and found[0] != _MAGIC:
        what = f"is an IDF model of format {int(found[1])}; this simdup only reads format 1"
        raise SimdupError(path, what, NEWER)
    if not content.startswith(_MAGIC):
        raise SimdupError(path, "is not an IDF model", "`fit` writes models")
    body, checksum = content[:-_CHECKSUM], content[-_CHECKSUM:]
    if hashlib.blake2b(body, digest_size=_CHECKSUM).digest() != checksum:
        raise SimdupError(path, "the IDF model is damaged", "fit it again")
    head, _, arrays = body.partition(b"\n")
    try:
        values = dict(item.split("=", 1) for item in head[len(_MAGIC) :].decode().split())
        documents, terms = int(values["documents"]), int(values["terms"])
        terms_digest = values["from"]
    except (KeyError, ValueError):
        documents, terms, terms_digest = 0, -1, ""
    # A valid checksum does not prove that the content is valid.
    if terms < 0 or len(arrays) != 12 * terms or not 0 <= documents < 1 << 63:
        raise SimdupError(path, "the header of the IDF model is invalid", "fit it again")
    ids = np.frombuffer(arrays, "<u8", terms).astype(np.uint64)
    df = np.frombuffer(arrays, "<i4", terms, 8 * terms).astype(np.int32)
    if (ids[1:] <= ids[:-1]).any() or (df < 0).any() or (df > documents).any():
        raise SimdupError(path, "the frequencies of the IDF model are invalid", "fit it again")
    return Model(path, documents, ids, df, terms_digest)


@cache
def _function_words() -> frozenset[str]:
    text = Path(__file__).with_name("function_words.txt").read_text("utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(word for line in lines for word in line.split())


# -- weights --

# Weights are multiples of 2**-20: coarse enough to hide differences between the logarithms of
# platforms, and sums of them are exact.
UNIT = 2.0**-20

# If min_df would leave fewer terms than this, all are kept.
ENOUGH_TERMS = 8


@dataclass(frozen=True, slots=True)
class TopTerms:
    """The kept terms of a chunk of documents, heaviest first."""

    # int32[documents, width]: term numbers; meaningless where the weight is 0.
    columns: NDArray[np.int32]
    # int64[documents, width]: capped weights in units of 2**-20; 0 beyond a document's last term.
    weights: NDArray[np.int64]
    # int64[documents]: how many terms with a weight above 0 each document has, kept or not.
    terms: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Weighting:
    """Term counts, and how they are weighted."""

    counts: Counts
    # float64[terms]: the weight of one occurrence of each term; 1 if the recipe uses no IDF.
    factors: NDArray[np.float64]
    # bool[terms] or None: the terms that pass the recipe's `min_df`; None for all.
    frequent: NDArray[np.bool_] | None
    recipe: Recipe  # its fields weight, top and cap are used

    def rows(self, first: int = 0, last: int | None = None) -> Iterator[CsrRows]:
        """Yield the weights of rows ``first:last`` of `counts`: all terms, none capped."""
        for rows in self.counts.chunked_rows(first, last):
            yield rows._replace(values=self._weigh(rows))

    def document(self, number: int) -> CsrRows:
        """Return the weights of one document: all terms, none capped."""
        row = self.counts.document(number)
        return row._replace(values=self._weigh(row))

    def top_terms(self, first: int = 0, last: int | None = None) -> Iterator[TopTerms]:
        """Yield the kept terms of rows ``first:last``, in chunks of consecutive rows."""
        for rows in self.rows(first, last):
            present = rows.values > 0
            if self.frequent is not None:
                frequent = self.frequent[rows.columns] & present
                present &= _keep_enough(frequent, present, rows.starts)
            terms = per_document(rows.values > 0, rows.starts)
            yield TopTerms(*self._heaviest(rows, present), terms)

    def _weigh(self, rows: CsrRows) -> NDArray[np.float64]:
        tf = rows.values.astype(np.float64)
        match self.recipe.weight:
            case "binary":
                return np.ones(len(tf))
            case "tf":
                return tf
            case "tf2":
                return tf * tf
            case "logtf":
                tf = np.log(tf) + 1.0
        return tf * self.factors[rows.columns]

    def _heaviest(
        self, rows: CsrRows, present: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Keep the `top` heaviest entries of each document, ties by term hash; cap them."""
        starts, columns, weights = rows
        top, documents = self.recipe.top, len(starts) - 1
        if top:
            present = present & (weights >= _thresholds(rows, present, top))
        entries = np.flatnonzero(present)
        row = np.repeat(np.arange(documents), np.diff(starts))[entries]
        order = np.lexsort((self.counts.ids[columns[entries]], -weights[entries], row))
        entries, row = entries[order], row[order]
        lengths = np.bincount(row, minlength=documents)
        rank = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        if top:
            entries, row, rank = (a[rank < top] for a in (entries, row, rank))
        width = int(rank.max()) + 1 if len(rank) else 0
        kept_columns = np.zeros((documents, width), np.int32)
        kept_weights = np.zeros((documents, width))
        kept_columns[row, rank] = columns[entries]
        kept_weights[row, rank] = weights[entries]
        if self.recipe.cap:
            kept_weights = cap_weights(kept_weights, self.recipe.cap)
        # A bound that only absurd inputs reach, so that the sum of a row fits into 63 bits.
        bound = 2.0**62 / max(width, 1)
        return kept_columns, np.minimum(np.rint(kept_weights / UNIT), bound).astype(np.int64)


def _keep_enough(
    frequent: NDArray[np.bool_], present: NDArray[np.bool_], starts: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return `frequent`, or `present` for documents that would be left with too few terms."""
    left = per_document(frequent, starts)
    return np.where(np.repeat(left >= ENOUGH_TERMS, np.diff(starts)), frequent, present)


def per_document(chosen: NDArray[np.bool_], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the chosen entries of each document."""
    return np.diff(np.concatenate([[0], np.cumsum(chosen)])[starts])


def _thresholds(rows: CsrRows, present: NDArray[np.bool_], top: int) -> NDArray[np.float64]:
    """Return, for each entry, the `top`-th largest weight of its document."""
    counted = np.where(present, rows.values, 0.0)
    sizes = np.diff(rows.starts)
    least = np.zeros(len(sizes))
    bounds = rows.starts.tolist()
    for row in np.flatnonzero(sizes > top).tolist():
        values = counted[bounds[row] : bounds[row + 1]]
        least[row] = np.partition(values, len(values) - top)[len(values) - top]
    return np.repeat(least, sizes)


def cap_weights(weights: NDArray[np.float64], cap: float) -> NDArray[np.float64]:
    """Lower the largest weights until none exceeds its share of the total.

    If the k largest become t, the total is k t + rest, and t = cap (k t + rest) gives
    t = cap rest / (1 - k cap).  The right k is the first whose next weight is not above t.
    One of m weights has a share of at least 1 / m, so if cap m <= 1 all become the smallest.

    Parameters
    ----------
    weights : float64[documents, width]
        Descending along each row, padded with zeros.
    cap : float
        The largest share, above 0.

    Returns
    -------
    float64[documents, width]
        The capped weights.
    """
    if not weights.size:
        return weights
    m = np.count_nonzero(weights, axis=1)
    total = np.cumsum(weights, axis=1)
    rest = total[:, -1:] - total + weights  # the sum from entry k on
    k = np.arange(weights.shape[1])
    share = 1.0 - cap * k
    with np.errstate(divide="ignore", invalid="ignore"):
        level = np.where(share > 0, cap * rest / share, np.inf)
    k_first = np.argmax(weights <= level, axis=1)
    rows = np.arange(len(weights))
    level_of_row = np.where(cap * m <= 1, weights[rows, np.maximum(m - 1, 0)], level[rows, k_first])
    capped: NDArray[np.float64] = np.minimum(weights, level_of_row[:, None])
    return capped
