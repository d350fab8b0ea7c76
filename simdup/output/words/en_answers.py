"""The words in English of comparisons, passages, differences and advice."""

from __future__ import annotations

CATALOGUE: dict[str, str | tuple[str, str]] = {
    # Shared passages.
    "passages": ("{n:,} shared passage", "{n:,} shared passages"),
    "passages.plain": ("{n:,} passage", "{n:,} passages"),
    "passages.title": "{passages}, the longest {longest:,} units",
    "passages.same": "the same text",
    "passages.share": "{share} of {name}",
    "passages.shares": "{passages}: {a} of a, {b} of b",
    "passages.figures": "{length:,} units at {a}-{a_end} and {b}-{b_end}, {similarity} alike:",
    "passages.more": "and {n:,} more",
    "passages.none": "Found no shared passages of at least {least} equal units.",
    "passages.found": (
        "{n:,} pair shares {passages} of at least {least} equal units.",
        "{n:,} pairs share {passages} of at least {least} equal units.",
    ),
    "passages.identical": (
        (
            "{n:,} document has the same text as an earlier one; other passages are listed "
            "for that one only."
        ),
        (
            "{n:,} documents have the same text as an earlier one; other passages are listed "
            "for that one only."
        ),
    ),
    "passages.common": (
        "{units:,} units in {n:,} documents are text that more than {most:,} share, and start no "
        "passage. With `templates` such text is ignored, `common` sets the number."
    ),
    "passages.repeated": (
        "{n:,} repetition within one document did not start passages.",
        "{n:,} repetitions within one document did not start passages.",
    ),
    # The answer of a comparison, and its figures.
    "compare.yes": "near-duplicates",
    "compare.no": "not near-duplicates",
    "compare": "{answer}: {reason}",
    "compare.titles": "titles",
    "compare.equal": "equal",
    "compare.different": "different",
    "compare.untitled": "(none)",
    "compare.distance": "distance",
    "compare.bits": "{n} of {bits} bits",
    "compare.bands": "({equal} of {total} bands match)",
    "compare.simhash": "simhash",
    "compare.minhash": "MinHash",
    "compare.pstable": "p-stable",
    "compare.similarity": "similarity",
    "compare.containment": "containment",
    "compare.cosine": "cosine",
    "compare.runs": "(share of common {n}-character runs)",
    "compare.word_runs": "(share of common {n}-word runs)",
    "compare.edits": "(edit similarity of short texts)",
    "compare.in_a": "  (b is contained in a)",
    "compare.in_b": "  (a is contained in b)",
    "compare.in_both": "  (each is contained in the other)",
    "compare.fingerprints": "fingerprints",
    "compare.differences": "differences",
    "compare.places": (
        "in {n:,} place (--diff shows all of the texts):",
        "in {n:,} places (--diff shows all), first:",
    ),
    "compare.see_diff": "not looked for in texts this long; --diff shows them",
    "compare.none": "none",
    "compare.idf": "idf",
    "idf.builtin": "builtin (jieba's table)",
    "idf.none": "none (this weight needs no IDF)",
    "idf.scan": "a scan of {n} or more documents uses its own: see --idf-from",
    "terms.shared": "heaviest shared terms ({n})",
    "terms.only_a": "only in a ({n})",
    "terms.only_b": "only in b ({n})",
    "terms.a": "in a",
    "terms.b": "in b",
    "terms.more": "and {n:,} more",
    # The reasons for the answer.
    "reason.no_words": "{name} has no words to compare.",
    "reason.titles": "their titles differ.",
    "reason.identical": "the texts are identical apart from white space or encoding.",
    "reason.identical_folded": (
        "the texts are identical apart from white space, encoding, case, width or script."
    ),
    "reason.too_short": (
        "with so few words, only identical texts are near-duplicates, and these differ."
    ),
    "reason.numbers": (
        "their numbers differ, which makes short texts different: {a} in a, {b} in b."
    ),
    "reason.unverified": "{place}; the texts were not compared.",
    "reason.both": "{place}; {share}.",
    "reason.near": (
        "the fingerprints are near ({place}), but the texts are not similar enough ({share})."
    ),
    "reason.bands": "the bands match ({place}), but the texts are not similar enough ({share}).",
    "reason.unmeasured": "{place} (no other measure is set).",
    "reason.missed": (
        "the texts are similar ({share}), but a scan by this method alone does not find the "
        "pair ({place}); {way_out} find it."
    ),
    "reason.by_recall": "a higher recall may",
    "reason.by_distance": "a distance of {distance} would",
    "reason.by_auto": "the method auto may",
    "reason.share": "{share}.",
    "reason.unproposed": "{share}, but a scan would miss the pair ({place}).",
    "reason.proposed": "{share}; a scan finds the pair by {searches}.",
    "reason.and_by": " and by ",
    "share": "their {parts}",
    "share.none": "no similarity is required",
    "share.similarity": "similarity is {value}, at least {least:g} required",
    "share.edit": "edit similarity is {value}, at least {least:g} required",
    "share.containment": "containment is {value}, at least {least:g} required",
    "share.cosine": "cosine is {value}, at least {least:g} required",
    "place.bits": "{n} of {bits} bits differ, at most {most} are allowed",
    "place.passages": "they share enough passages",
    "place.no_passages": "they do not share enough passages",
    "place.bands": "{n} of {total} bands of {search} match",
    # The differences of two texts.
    "diff.a": "[-only in a-]",
    "diff.b": "{{+only in b+}}",
    "diff.folded": "other case, width or script",
    "diff.unchanged": "… {n:,} characters unchanged …",
    "diff.alike": "… {n:,} characters alike …",
    # Advice on settings.
    "tune.advice": "advice: {command}",
    "tune.reason": "reason: {reason}",
    "tune.true": (
        "{n:,} true pair with {measures} or more {among}",
        "{n:,} true pairs with {measures} or more {among}",
    ),
    "tune.similarity": "a similarity of {similarity:g}",
    "tune.cosine": "a similarity of {similarity:g} and a cosine of {cosine:g}",
    "tune.documents": ("{n:,} distinct document", "{n:,} distinct documents"),
    "tune.all": "among {documents}, compared each with each",
    "tune.corpus": "that searches of high recall find among {documents}",
    "tune.recall": "recall: the share of the true pairs that the setting finds",
    "tune.per_document": "per document: pairs to check per document of the sample",
    "tune.seconds": "seconds: processor time to search the sample and check these pairs",
    "tune.with": "with {same}, and",
    "tune.head.recall": "recall",
    "tune.head.per_document": "per document",
    "tune.head.seconds": "seconds",
    "tune.default": "the default",
    "tune.default_more": "nothing more (the default)",
    "tune.no_more": "nothing more",
    "tune.histogram": "similarity        pairs",
    "tune.bin": "{start:.2f} to {end:.2f}",
    # Reasons for the advice.
    "advice.set": "the similarity is the one you set",
    "advice.falls": (
        "the number of pairs falls from {usual:g} down to {advised:g}, so these are "
        "near-duplicates too"
    ),
    "advice.unknown": "below {usual:g} too many texts are somewhat alike to look for pairs",
    "advice.none_between": "no pair is between {least:g} and {usual:g}",
    "advice.none_below": "no pair is right below {usual:g}: the next has {following:g}",
    "advice.rises": "the number of pairs rises below {usual:g}, so these may be alike by chance",
    "advice.better": "the default finds {default:.0%} of the true pairs, {options} {best:.0%}",
    "advice.templated": (
        "most pairs differ in what their titles name, as pages of a template do, so their "
        "similarity does not tell which are duplicates: see --same-title"
    ),
    "advice.slight": (
        "only {n} pair more is from {advised:g} on: too few to tell from chance",
        "only {n} pairs more are from {advised:g} on: too few to tell from chance",
    ),
    "advice.gap": "{pairs:,} pairs are above a gap at {gap:g}, {n:,} from {least:g} on",
    "advice.shingles": (
        "by shingles of {better}, {pairs:,} pairs are above a gap at {gap:g}; by those of "
        "{length}, {n:,} from {least:g} on"
    ),
    "advice.few": (
        "{n} true pair is too few to judge by, so these are the defaults",
        "{n} true pairs are too few to judge by, so these are the defaults",
    ),
}
