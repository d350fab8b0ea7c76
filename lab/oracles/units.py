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


def left_out(texts: list[str], unit: str, copies: int, min_length: int) -> list[list[bool]]:
    """Whether each part of each text is one that enough texts before it have."""
    having: dict[str, list[int]] = {}
    found = []
    for number, text in enumerate(texts):
        row = []
        for part in parts(text, unit):
            owners = having.setdefault(form(part), [])
            counts = compared(part, unit, min_length)
            if counts and number not in owners and len(owners) < copies:
                owners.append(number)
            row.append(counts and number not in owners)
        found.append(row)
    return found
