"""Inverse document frequencies: from the corpus itself, a fitted model, or jieba's table.

All three answer one question, `Idf.factors`: how much does one occurrence of a term weigh?

jieba's table has 270,000 lines ``word value``.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError, unreadable
from simdup.corpus.opening import read_named
from simdup.kernels.tables import Values
from simdup.text.counts import Counts


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
    found = find_spec("jieba")
    if found is None or found.origin is None:
        raise SimdupError("idf", "jieba is not installed", "pip install jieba", field="idf")
    path = Path(found.origin).with_name("analyse").joinpath("idf.txt")
    try:
        return IdfTable.parse(path.read_bytes())
    except OSError as error:
        raise unreadable(str(path), error, "install jieba again") from None


# With at least this many documents with terms, `auto` uses the corpus's own frequencies.
ENOUGH_DOCUMENTS = 200

_MAGIC = b"# simdup-idf 1 "
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
