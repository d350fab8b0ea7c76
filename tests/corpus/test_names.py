"""Names of documents: which one gets a name that several records have."""

import random

from simdup.corpus.names import NameRegistry

FILE = ("a.txt", "a.txt", 0)


def record(name: str, number: int, path: str = "r.csv") -> tuple[str, str, int]:
    return name, path, number


def test_the_first_record_gets_the_name_and_the_next_its_place() -> None:
    names = NameRegistry()
    assert names.assign(*record("x", 1)) == ("x", "")
    name, note = names.assign(*record("x", 2))
    assert name == "r.csv#2"
    assert "'x'" in note
    assert names.assign(*record("x", 1, "s.csv"))[0] == "s.csv#1"
    assert names.assign(*record("y", 3)) == ("y", "")


def test_files_and_records_named_after_their_place_keep_their_name() -> None:
    names = NameRegistry()
    for document in (FILE, FILE, record("r.csv#1", 1), record("r.csv#1", 1)):
        assert names.assign(*document) == (document[0], "")
    # A record may even have the name of a file, as long as no other record has it.
    assert names.assign(*record("a.txt", 2)) == ("a.txt", "")
    assert names.assign(*record("a.txt", 3))[0] == "r.csv#3"


def test_a_place_used_instead_of_a_name_is_taken() -> None:
    names = NameRegistry()
    names.assign(*record("x", 1))
    assert names.assign(*record("x", 2))[0] == "r.csv#2"
    assert names.assign(*record("r.csv#2", 1, "s.csv"))[0] == "s.csv#1"


def test_a_changed_record_does_not_get_the_name_of_an_unchanged_one() -> None:
    names = NameRegistry()
    assert names.reserve(*record("x", 1))
    assert names.assign(*record("x", 2))[0] == "r.csv#2"
    assert names.reserve(*record("x", 3)), "the index holds both once"


def test_an_unchanged_record_whose_name_a_changed_one_got_is_refused() -> None:
    names = NameRegistry()
    assert names.assign(*record("x", 1)) == ("x", "")
    assert not names.reserve(*record("x", 2))
    assert not names.reserve(*record("x", 3))
    assert names.reserve(*FILE)
    assert names.reserve(*record("r.csv#4", 4))


def test_names_of_records_are_unique() -> None:
    chance = random.Random(11)
    names = NameRegistry()
    given = [record(chance.choice("abcdefgh"), number) for number in range(1, 500)]
    got = [names.assign(*document)[0] for document in given]
    assert len(set(got)) == len(got)
    assert {name for name in got if "#" not in name} == {name for name, *_ in given}
