"""Code in Markdown: what is code, and that places stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdup.text.markdown_code import without_code


def left(text: str, name: str = "a.md") -> list[str]:
    return [line.strip() for line in without_code(text, name).splitlines() if line.strip()]


def test_fences_and_what_is_between() -> None:
    text = "One\n```sh\nport 80\n\n``\n```\nTwo\n~~~~\nport 81\n~~~\n```\n~~~~\nThree\n"
    assert left(text) == ["One", "Two", "Three"]
    # Tildes are rulers where nothing says Markdown.
    assert left(text, "a.txt") == ["One", "Two", "~~~~", "port 81", "~~~", "```", "~~~~", "Three"]


@pytest.mark.parametrize("lead", ["  ", "- ", "1. ", "> ", "> - ", "\t"])
def test_fences_in_items_and_quotations(lead: str) -> None:
    inside = "".join(" " if mark in "-1." else mark for mark in lead)
    text = f"One\n{lead}```\n{inside}port 80\n{inside}```\nTwo\n"
    assert left(text, "records.jsonl#3") == ["One", "Two"]


def test_what_nothing_ends_is_text() -> None:
    assert left("One\n```\nport 80\n", "a.txt") == ["One", "```", "port 80"]
    assert left("Write ```x``` so.\n```a`b\nTwo\n```\n") == [
        "Write ```x``` so.",
        "```a`b",
        "Two",
        "```",
    ]


def test_indented_code_is_behind_an_empty_line() -> None:
    text = "One\n    goes on\n\n    port 80\n\n\tport 81\nTwo\n"
    assert left(text) == ["One", "goes on", "Two"]
    assert left(text, "a.txt") == ["One", "goes on", "port 80", "port 81", "Two"]


def test_a_paragraph_of_an_item_is_no_code() -> None:
    text = "- One\n\n    of it\n\n      port 80\n\n  1. Two\n\n     of this\n\n         port 81\n"
    assert left(text) == ["- One", "of it", "1. Two", "of this"]
    assert left(f"{text}\nThree\n\n    port 82\n")[-1] == "Three"


@given(st.text("ab`~ \t\n\r>-1.", max_size=60), st.sampled_from(["a.md", "a.txt"]))
def test_places_stay(text: str, name: str) -> None:
    found = without_code(text, name)
    assert [b if a == b else " " for a, b in zip(text, found, strict=True)] == list(found)
    assert [c for c in found if c in "\r\n"] == [c for c in text if c in "\r\n"]
