"""The tests of a module are found by its name, or in the page that says where they are."""

import re

from support import ROOT

PAGE = (ROOT / "tests" / "README.md").read_text("utf-8")
# `module`, `module` in `room/test_file`
_PLACE = re.compile(r"((?:`[\w/]+`(?:, )?)+) in `([\w/]+)`")
_ROW = re.compile(r"^\| `(\w+)/` \| (.*) \|$", re.MULTILINE)


def listed() -> dict[str, str]:
    """Where the page says that modules are tested, by `room/module`."""
    return {
        f"{room}/{module}": test
        for room, places in _ROW.findall(PAGE)
        for modules, test in _PLACE.findall(places)
        for module in re.findall(r"`([\w/]+)`", modules)
    }


def test_each_module_has_its_own_tests_or_a_place_where_they_are() -> None:
    modules = {
        str(path.relative_to(ROOT / "simdup").with_suffix("")): path.stem.strip("_")
        for path in (ROOT / "simdup").glob("*/**/*.py")
        if path.name != "__init__.py"
    }
    own = {
        module
        for module, stem in modules.items()
        if (ROOT / "tests" / module.split("/")[0] / f"test_{stem}.py").exists()
    }
    assert own
    assert listed().keys() == modules.keys() - own


def test_the_places_exist() -> None:
    assert [
        test for test in listed().values() if not (ROOT / "tests" / f"{test}.py").exists()
    ] == []
