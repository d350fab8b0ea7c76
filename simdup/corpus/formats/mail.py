"""Mail, and pages that browsers save as mail (.mht): the text, without headers and quoted replies.

The subject is the title.  Attachments are not read.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message

from simdup.base.when_used import pattern
from simdup.corpus.decoding import Decoded, NotReadable, decode, decode_declared, unify_line_ends
from simdup.corpus.files import File
from simdup.corpus.formats import Extracted
from simdup.corpus.html import decode_html, extract_text, of_decoded
from simdup.corpus.records import without_surrogates
from simdup.model.settings import Reading

# The time for a line grows with the parts that it is within, that for a header with its square.
_MOST_PARTS, _LONGEST = 100, 10_000
_PART = pattern(rb"boundary\s*=|content-type:\s*message/", re.IGNORECASE)
_HEADER = pattern(
    rb"^content-[a-z-]+:(?:[^\n]|\n[ \t]){%d}" % _LONGEST, re.IGNORECASE | re.MULTILINE
)
_LONGEST_SUBJECT = 1000

_QUOTED, _MARK = pattern(r"\s*[>＞]"), pattern(r"\A\s*[>＞][ \t]?")
# The line above a quotation says who wrote it, and when; it may be broken.
_WROTE = pattern(
    r"(?P<begun>.*)(?:wrote|writes|写道|寫道)(?: on [^:：]{1,40})?\s*[:：]\s*", re.IGNORECASE
)
_WHO = pattern(r"[^<‹@]*\d[^<‹@]*[<‹@].*|(?:on|at|在|于) .*\d.*", re.IGNORECASE)
# What is above a mail that is quoted whole, or handed on: a ruled line, or the mail's own headers.
_ORIGINAL = pattern(
    r"\s*[-—]{3,}\s*(?:original(?: message)?|replied message|(?:回复的)?原始?邮件"
    r"|邮件原件|原始?郵件)\s*[-—]{3,}\s*",
    re.IGNORECASE,
)
_FORWARDED = pattern(
    r"\s*[-—]{3,}\s*(?:forwarded message|转发邮件信息|转发的邮件|轉寄郵件|轉寄的郵件)\s*[-—]{3,}\s*"
    r"|\s*begin forwarded message\s*[:：]\s*",
    re.IGNORECASE,
)
_FORWARD = pattern(r"\s*(?:fwd?|转发|轉寄|轉發)\s*[:：]", re.IGNORECASE)
_RULE = pattern(r"[\s_=—-]*")
_FROM = pattern(r"\s*[*|]?\s*(?:from|发件人|寄件者|寄件人)\s*[:：|].*", re.IGNORECASE)
_OTHERS = tuple(
    pattern(rf"\s*[*|]?\s*(?:{names})\s*[:：|]", re.IGNORECASE)
    for names in (
        "sent|date|发送时间|发件时间|发送日期|日期|寄件日期|傳送時間|傳送日期",
        "to|收件人|收件者",
        "subject|主题|主題|主旨",
    )
)
_COPY = pattern(r"\s*[*|]?\s*(?:cc|bcc|抄送|副本)\s*[:：|]", re.IGNORECASE)
_TAG = pattern(r"<(/?)(blockquote|div)\b([^<>]*)>", re.IGNORECASE)
_CITED = pattern(
    r"type\s*=\s*[\"']?cite|id\s*=\s*[\"']?isReplyContent"
    r"|class\s*=\s*[\"']?(?:gmail_quote|moz-cite-prefix)",
    re.IGNORECASE,
)


def read(content: bytes, file: File, reading: Reading) -> Extracted:
    """Return the text of a mail, or of a page that was saved as one."""
    if not content.strip():
        raise NotReadable("empty", error=False)
    content = content.removeprefix(codecs.BOM_UTF8)
    if len(_PART.findall(content)) > _MOST_PARTS or _HEADER.search(content):
        raise NotReadable(f"more than {_MOST_PARTS} parts, or a header of {_LONGEST:,} characters")
    message = message_from_bytes(content)
    parts = {"plain": list[Message](), "html": list[Message]()}
    for part in _parts(message):
        parts.get(part.get_content_subtype(), []).append(part)
    if file.format == "mht" and parts["html"]:
        return of_decoded(_decoded(parts["html"][0], reading), reading.extract)
    texts = [_decoded(part, reading) for part in parts["plain"]]
    if not any(text.text.strip() for text in texts):
        pages = [_decoded(part, reading) for part in parts["html"]]
        texts = [page._replace(text=extract_text(_uncited(page.text), "all")) for page in pages]
    if not texts:
        raise NotReadable("no text part", error=False)
    subject = _subject(message)
    forward = bool(_FORWARD.match(subject or ""))
    text = "\n".join(_written(unify_line_ends(text.text), forward) for text in texts)
    return Extracted(text, subject, "; ".join(text.note for text in texts if text.note))


def _parts(message: Message) -> Iterator[Message]:
    """Yield the parts of a message that are shown as text; mails within it are attachments."""
    waiting = [message]
    while waiting:
        part = waiting.pop()
        if part.get_content_maintype() == "multipart" and part.is_multipart():
            waiting += reversed(part.get_payload())  # type: ignore[arg-type]
        elif (
            part.get_content_maintype() == "text" and part.get_content_disposition() != "attachment"
        ):
            yield part


def _decoded(part: Message, reading: Reading) -> Decoded:
    content = part.get_payload(decode=True)
    assert isinstance(content, bytes)
    charset = part.get_content_charset()
    if charset:
        return decode_declared(content, charset, reading.encoding)
    html = part.get_content_subtype() == "html"
    return (decode_html if html else decode)(content, reading.encoding)


def _subject(message: Message) -> str | None:
    raw = next((text for name, text in message.raw_items() if name.lower() == "subject"), "")
    # Bytes that are not ASCII, which some programs write as they are, come as surrogates.
    subject = decode(raw[:_LONGEST_SUBJECT].encode("ascii", "surrogateescape")).text
    with suppress(ValueError, LookupError, MessageError):  # else as it is written
        subject = str(make_header(decode_header(subject)))
    return without_surrogates(" ".join(subject.split())) or None


def _written(text: str, forward: bool) -> str:
    """Return what a mail adds to what it quotes; what it hands on is its own."""
    lines = text.split("\n")
    written = list[str]()
    at, handed_on = 0, False
    while at < len(lines):
        line, after = lines[at], next(filter(str.strip, lines[at + 1 : at + 3]), "")
        wrote = _WROTE.fullmatch(line)
        if _FORWARDED.fullmatch(line):
            if not handed_on:
                lines[at:] = [_MARK.sub("", quoted) for quoted in lines[at:]]
            forward = handed_on = True
        elif _ORIGINAL.fullmatch(line) or (_FROM.fullmatch(line) and _is_head(lines, at)):
            if not forward:
                break
            at = _behind_head(lines, at) - 1
        elif wrote and _WHO.fullmatch(f"{written[-1] if written else ''} {wrote['begun']}"):
            if not wrote["begun"].strip() and written:
                written.pop()
            if not _QUOTED.match(after):
                break
        elif not (
            _QUOTED.match(line)
            or (wrote and _QUOTED.match(after))
            or (forward and line and _RULE.fullmatch(line))
        ):
            written.append(line)
        at += 1
    while written and _RULE.fullmatch(written[-1]):
        written.pop()
    return "\n".join(written if any(map(str.strip, written)) else lines)


def _is_head(lines: Sequence[str], number: int) -> bool:
    """Return whether the headers of a mail follow a line: its date, its reader or its subject.

    An itinerary has lines From and To as well.
    """
    below = lines[number + 1 : number + 8]
    return sum(any(map(header.match, below)) for header in _OTHERS) >= 2 and any(
        map(_OTHERS[2].match, below)
    )


def _behind_head(lines: Sequence[str], at: int) -> int:
    """Return where the headers of a mail, and the ruled line above them, end."""
    headers = (_ORIGINAL, _FROM, _COPY, *_OTHERS)
    behind = (
        row
        for row in range(at, len(lines))
        if lines[row].strip() and not any(header.match(lines[row]) for header in headers)
    )
    return next(behind, len(lines))


def _uncited(page: str) -> str:
    """Return a page without the mails that it quotes."""
    kept, begin, depth, quoted = list[str](), 0, 0, ""
    for tag in _TAG.finditer(page):
        closing, name, attributes = tag[1], tag[2].lower(), tag[3]
        if not depth and not closing and _CITED.search(attributes):
            kept.append(page[begin : tag.start()])
            depth, quoted = 1, name
        elif depth and name == quoted:
            depth += -1 if closing else 1
            begin = tag.end()
    return "".join([*kept, "" if depth else page[begin:]])
