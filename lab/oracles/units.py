"""Lines, sentences and paragraphs by their definitions, character by character."""

from simdup.text.characters import fold

STRONG = "。！？；｡"
MARKS = STRONG + ".!?…"
CLOSING = "\"'”’」』》〉】）〕］)]}>"
OPENING = "\"'“‘「『《〈【（〔［([{<"
TITLES = [
    "dr", "mr", "mrs", "ms", "prof", "st", "mt", "vs", "al", "fig", "figs", "eq", "eqs", "cf", "ca",
    "approx", "dept", "gen", "col", "lt", "sgt", "capt", "rev", "hon", "gov", "sen", "rep", "resp",
    "viz", "incl", "ed", "eds",
]  # fmt: skip
COUNTED = [
    "no", "nos", "art", "ch", "sec", "vol", "pp", "p", "para", "par", "pt", "ver", "nr", "jan",
    "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
]  # fmt: skip


def parts(text: str, unit: str) -> list[str]:
    """The parts of a text, without the white space around them."""
    blocks: list[list[str]] = [[]]
    lines = physical_lines(text)
    for line in lines:
        if line.strip():
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    blocks = [block for block in blocks if block]
    if unit == "paragraph" and any(not line.strip() for line in lines):
        return ["".join(block).strip() for block in blocks]
    if unit != "sentence":
        return [line.strip() for block in blocks for line in block]
    found: list[str] = []
    for block in blocks:
        joined: list[str] = []
        for line in block:
            if joined and line.strip()[0].islower():
                joined[-1] += line
            else:
                joined.append(line)
        for line in joined:
            found += sentences(line)
    return found


def physical_lines(text: str) -> list[str]:
    """The lines of a text, with what they end with."""
    found, line = [], ""
    for i, c in enumerate(text):
        line += c
        if c == "\n" or (c == "\r" and text[i + 1 : i + 2] != "\n"):
            found.append(line)
            line = ""
    return [*found, line] if line else found


def sentences(line: str) -> list[str]:
    """The sentences of a line."""
    while line and line[-1] in "\r\n":
        line = line[:-1]
    found, begin, i = [], 0, 0
    while i < len(line):
        end = i
        if line[i] in MARKS:
            while end < len(line) and line[end] in MARKS + CLOSING:
                end += 1
            if ends(line[begin:i], line[i:end], line[end:]):
                found.append(line[begin:end].strip())
                begin = end
        i = max(end, i + 1)
    return [one for one in [*found, line[begin:].strip()] if one]


def ends(before: str, run: str, behind: str) -> bool:
    """Whether a sentence ends with some marks, given what is before and behind in its line."""
    if any(c in STRONG for c in run) or run[:2] == "……":
        return True
    asked = "!" in run or "?" in run
    if behind and not behind[0].isspace():
        han = before[-1:].isalpha() and before[-1] >= "\u2e80"
        return asked and behind[0].isalnum() and (han or behind[0] >= "\u2e80")
    behind = behind.lstrip().lstrip(OPENING)
    if not behind:
        return True
    if not behind[0].isalnum() or behind[0].islower():
        return False
    return asked or (run[0] == "." and run[:2] != ".." and full_stop(before, behind[0]))


def full_stop(before: str, first: str) -> bool:
    """Whether a dot ends a sentence that is `before` it, if `first` is behind it."""
    before = before[-12:]
    word = before
    for i in range(len(before), -1, -1):
        piece = before[i:].split(".")
        if all(one.isalnum() for one in piece if one) and "" not in piece[1:]:
            if piece[0] or i == len(before):
                word = before[i:]
        else:
            break
    names = word.split(".")
    short = word and all(one.isalpha() and len(one) <= 2 for one in names)
    if short and (len(word) == 1 or len(names) > 1):
        return False
    if len(before) < 12 and all(c in "0123456789.()[] \t\u3000" for c in before):
        return not before.strip(" ")  # nothing is before it
    lower = word.lower()
    return lower not in TITLES and not (lower in COUNTED and first.isdigit())


def form(part: str) -> str:
    """What parts are equal by."""
    return "".join(fold(part).split())


def length(part: str) -> int:
    """The letters and digits of a part."""
    return sum(c.isalnum() for c in fold(part))


def whole(part: str) -> bool:
    """Whether no quotation begins or ends outside of a sentence."""
    text = fold(part)
    counts = [text.count(a) - text.count(b) for a, b in ("“”", "「」", "『』")]
    return not any(counts) and text.count('"') % 2 == 0


def compared(part: str, unit: str, min_length: int) -> bool:
    """Whether a part is long enough and whole."""
    return length(part) >= min_length and (unit != "sentence" or whole(part))


def stands_in(part: str, before: str) -> bool:
    """Whether a part is in the one before it, in whole words and numbers."""
    part, before = " ".join(fold(part).split()), " ".join(fold(before).split())
    for start in {before.find(part), before.rfind(part)} - {-1}:
        beside = before[:start][-1:], before[start + len(part) :][:1]
        if all(apart(*pair) for pair in zip(beside, (part[0], part[-1]), strict=True)):
            return True
    return False


def apart(beside: str, edge: str) -> bool:
    """Whether a character beside a part is not of its first or last word or number."""
    if not beside or beside == " ":
        return True
    if beside.isnumeric() or edge.isnumeric():
        return False
    return not (beside.isalnum() and edge.isalnum()) or max(beside, edge) >= "\u2e80"


def repeated(texts: list[str], unit: str, min_length: int) -> list[int | None]:
    """The part before that each part directly repeats, or is in; that one stays."""
    origin: list[int | None] = [None] * len(texts)
    kept: list[int] = []
    for i, part in enumerate(texts):
        if kept and compared(part, unit, min_length) and stands_in(part, texts[kept[-1]]):
            origin[i] = kept[-1]
            continue
        kept.append(i)
        for size in range(1, len(kept) // 2 + 1):
            again, once = kept[-size:], kept[-2 * size : -size]
            run = [texts[k] for k in again]
            if (
                [form(one) for one in run] == [form(texts[k]) for k in once]
                and any(length(one) >= min_length for one in run)
                and (unit != "sentence" or whole("".join(run)))
            ):
                for k, first in zip(again, once, strict=True):
                    origin[k] = first
                del kept[-size:]
                break
    for i, first in enumerate(origin):
        if first is not None and origin[first] is not None:
            origin[i] = origin[first]
    return origin


def in_turn(texts: list[list[str]], unit: str, min_length: int) -> list[int]:
    """The documents in the turn in which parts stay in them, given their parts.

    Of those that are equal without direct repetitions, the ones that have none come first.
    """
    groups: dict[tuple[str, ...], list[int]] = {}
    doubled = []
    for number, document in enumerate(texts):
        origin = repeated(document, unit, min_length)
        stay = [part for part, first in zip(document, origin, strict=True) if first is None]
        rest = tuple(form(part) for part in stay if length(part) >= min_length)
        groups.setdefault(rest, []).append(number)
        doubled.append(len(stay) < len(document))
    turn = list(range(len(texts)))
    for numbers in groups.values():
        for place, number in zip(numbers, sorted(numbers, key=doubled.__getitem__), strict=True):
            turn[place] = number
    return turn


def left_out(texts: list[str], unit: str, copies: int, min_length: int) -> list[list[bool]]:
    """Whether each part of each text is one that enough texts before it have, or that repeats."""
    having: dict[str, list[int]] = {}
    cut = [parts(text, unit) for text in texts]
    several = [form(part) for row in cut for part in {form(one): one for one in row}.values()]
    found: list[list[bool]] = [[] for _ in texts]
    for number in in_turn(cut, unit, min_length):
        row = found[number]
        for part, first in zip(cut[number], repeated(cut[number], unit, min_length), strict=True):
            owners = having.setdefault(form(part), [])
            counts = first is None and compared(part, unit, min_length)
            stays = len(owners) < copies if copies else several.count(form(part)) == 1
            if counts and number not in owners and stays:
                owners.append(number)
            row.append(first is not None or (counts and number not in owners))
        stay = [i for i, gone in enumerate(row) if not gone]
        again = repeated([cut[number][i] for i in stay], unit, min_length)
        for i, first in zip(stay, again, strict=True):
            row[i] = first is not None
    return found
