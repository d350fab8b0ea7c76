"""Names as lines: the escapes that let any file name stand on a line of its own.

In memory a name is a `str` whose undecodable bytes are surrogate escapes (PEP 383), as
`os.fsdecode` gives it; in files and pipes it is bytes.
"""

import re

_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_BACK = {escape: character for character, escape in _ESCAPES.items()}
_ESCAPED = re.compile(r"\\[\\nrt]")


def to_bytes(name: str) -> bytes:
    """Return a name's bytes as they stand in the file system, in UTF-8."""
    return name.encode("utf-8", "surrogateescape")


def from_bytes(name: bytes) -> str:
    """Return the name that these bytes spell; `to_bytes` gives them back."""
    return name.decode("utf-8", "surrogateescape")


def escape(name: str, characters: str) -> str:
    r"""Return `name` with those of `characters` (out of \\, \\n, \\r, \\t) as escapes."""
    for character in characters:
        name = name.replace(character, _ESCAPES[character])
    return name


def unescape(name: str) -> str:
    """Return the name that `escape` was given."""
    return _ESCAPED.sub(lambda match: _BACK[match[0]], name)
