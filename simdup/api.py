"""The library's face: scan, compare and fingerprint with plain arguments."""

from __future__ import annotations

from collections.abc import Iterable

from simdup.ingest.counting import Effort
from simdup.model.clusters import Result
from simdup.model.comparison import Comparison
from simdup.model.criteria import Criteria
from simdup.model.documents import Document
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe, named_recipe
from simdup.operations import compare as comparing
from simdup.operations import scan as scanning


def scan(
    sources: str | Iterable[str] | Iterable[tuple[str, str]],
    recipe: Recipe | str = "default",
    *,
    distance: int = 3,
    similarity: float = 0.8,
    verify: bool = True,
    shingle: int | str = 5,
    containment: float | None = None,
    cosine: float | None = None,
    method: str = "simhash",
    recall: float = 0.99,
    linkage: str = "single",
    keep: str = "first",
    prefer: Iterable[str] = (),
    references: Iterable[str] = (),
    reading: Reading | None = None,
    jobs: int | None = None,
) -> Result:
    """Find the near-duplicates among documents.

    Parameters
    ----------
    sources : str, iterable of str, or iterable of (str, str)
        A file or folder, several of them, or names and texts.
    recipe : Recipe or str
        How documents are fingerprinted, or the name of a recipe.
    distance : int
        The largest Hamming distance of a pair's fingerprints.
    similarity : float
        The least resemblance of a pair's texts, 0 to 1.
    verify : bool
        Whether the texts are looked at.
    shingle : int or str
        Characters of a shingle, or ``words:N``.
    containment, cosine : float, optional
        The least of these measures; each one given must hold as well.
    method : {"simhash", "minhash", "pstable"}
        How pairs are found.
    recall : float
        The share of the pairs at `similarity` that minhash and pstable are to find.
    linkage : {"single", "star"}
        What makes a cluster: whatever pairs connect, or only pairs of the kept one.
    keep : {"first", "longest", "shortest", "newest", "oldest"}
        Which document of a cluster stays.
    prefer : iterable of str
        Shell patterns of names: documents that match stay before others.
    references : iterable of str
        Files and folders whose documents are never redundant.
    reading : Reading, optional
        Encoding, globs and formats of files.
    jobs : int, optional
        Processes; one a core by default.  The result does not depend on it.  Where processes are
        not forked (macOS, Windows) a script that asks for several needs the usual
        ``if __name__ == "__main__"``.

    Returns
    -------
    Result
        ``clusters``, ``pairs``, ``skipped``, ``notes`` and ``summary``.

    Raises
    ------
    SimdupError
        If an argument makes no sense or a model or dictionary cannot be read.  Documents that
        cannot be read are no error but ``skipped``.

    Examples
    --------
    >>> text = "The quick brown fox jumps over the lazy dog near the old river bank."
    >>> found = scan([("a", text), ("b", text.upper()), ("c", "Nothing like the others.")])
    >>> [member.name for member in found.clusters[0].members]
    ['a', 'b']
    """
    return scanning.scan(
        [sources] if isinstance(sources, str) else sources,
        _recipe(recipe),
        Criteria(
            distance=distance,
            similarity=similarity,
            verify=verify,
            shingle=shingle,
            keep=keep,
            containment=containment,
            cosine=cosine,
            method=method,
            recall=recall,
            linkage=linkage,
            prefer=tuple(prefer),
        ),
        reading or Reading(),
        Effort(jobs),
        references,
    )


def compare(
    text_a: str,
    text_b: str,
    recipe: Recipe | str = "default",
    *,
    distance: int = 3,
    similarity: float = 0.8,
    verify: bool = True,
    shingle: int | str = 5,
    containment: float | None = None,
    cosine: float | None = None,
    method: str = "simhash",
) -> Comparison:
    """Tell whether two texts are near-duplicates, and why.

    Parameters
    ----------
    text_a, text_b : str
        The texts.
    recipe, distance, similarity, verify, shingle, containment, cosine, method
        As in `scan`.

    Returns
    -------
    Comparison
        ``duplicates``, ``distance``, ``similarity``, ``shared`` terms and more.

    Examples
    --------
    >>> compare("The quick brown fox jumps.", "THE QUICK BROWN FOX JUMPS!").similarity > 0.8
    True
    """
    return comparing.compare(
        Document("a", text_a),
        Document("b", text_b),
        _recipe(recipe),
        Criteria(
            distance=distance,
            similarity=similarity,
            verify=verify,
            shingle=shingle,
            containment=containment,
            cosine=cosine,
            method=method,
        ),
    )


def fingerprint(text: str, recipe: Recipe | str = "default") -> int | None:
    """Return the fingerprint of a text, or None for one without terms.

    Parameters
    ----------
    text : str
        Any text.
    recipe : Recipe or str
        How it is fingerprinted.  A single text is no corpus: with ``idf="auto"`` the built-in
        table weighs its terms.

    Examples
    --------
    >>> format(fingerprint("This is a test string for testing", "string128"), "032x")
    '0000000020302202800d8e90e45cc488'
    """
    digits = comparing.fingerprints([text], _recipe(recipe))[0]
    return None if digits is None else int(digits, 16)


def _recipe(recipe: Recipe | str) -> Recipe:
    return named_recipe(recipe) if isinstance(recipe, str) else recipe
