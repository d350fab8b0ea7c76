"""The workflows, which run on GitHub only: what of them can be checked here."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import util
from typing import Any

import pytest
from support import ROOT

yaml = pytest.importorskip("yaml")

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
FOLDER = ROOT / ".github" / "workflows"
PATHS = [*sorted(FOLDER.glob("*.yml")), ROOT / "action.yml"]
# YAML 1.1 reads the key `on` as true, which is of no interest here.
WORKFLOWS: dict[str, Any] = {
    path.stem: yaml.safe_load(path.read_text("utf-8")) for path in PATHS[:-1]
}
# Every version that is supported, from the oldest.
PYTHONS = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, workflow in WORKFLOWS.items():
        for job, content in workflow["jobs"].items():
            yield f"{name}: {job}", content


SCRIPTS = {
    f"{name}: {step.get('name', number)}": step["run"]
    for name, job in jobs()
    for number, step in enumerate(job["steps"])
    if "run" in step
}
bash = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")


@pytest.mark.parametrize(
    ("schema", "paths"),
    [
        ("github-workflows", PATHS[:-1]),
        ("custom.github-workflows-require-timeout", PATHS[:-1]),
        ("github-actions", PATHS[-1:]),
        ("dependabot", [ROOT / ".github" / "dependabot.yml"]),
    ],
    ids=str,
)
def test_a_file_is_what_its_schema_says(
    schema: str, paths: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    checker = pytest.importorskip("check_jsonschema")
    name = schema if "." in schema else f"vendor.{schema}"
    with pytest.raises(SystemExit) as left:
        checker.main(["--builtin-schema", name, *map(str, paths)])
    assert left.value.code == 0, capsys.readouterr()


def test_an_action_is_named_by_its_commit_and_may_do_little() -> None:
    for path in PATHS:
        for line in re.findall(r"uses: (.*)", path.read_text("utf-8")):
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v[\d.]+", line), (path.name, line)
    for workflow in WORKFLOWS.values():
        assert workflow["permissions"] == {"contents": "read"}
    writing = [name for name, job in jobs() if "permissions" in job]
    assert writing == ["release: publish"]
    for name, job in jobs():
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"] == {"persist-credentials": False}, name


def test_the_tests_run_on_the_oldest_and_the_newest_python() -> None:
    assert PROJECT["project"]["requires-python"] == f">={PYTHONS[0]}"
    matrices = [job["strategy"]["matrix"] for job in WORKFLOWS["tests"]["jobs"].values()]
    assert [matrix["python"] for matrix in matrices] == [[PYTHONS[0], PYTHONS[-1]]] * 2


def test_wheels_are_tried_in_every_python() -> None:
    settings = PROJECT["tool"]["cibuildwheel"]
    assert settings["build"] == " ".join(f"cp{v.replace('.', '')}-*" for v in PYTHONS)
    (source,) = settings["test-sources"]
    assert (ROOT / source).is_file()
    assert source in settings["test-command"]


@bash
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_one_and_names_what_there_is(name: str) -> None:
    script = SCRIPTS[name]
    checked = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True)
    assert checked.returncode == 0, checked.stderr
    # What is written into a script could be a command.
    assert "${{" not in script
    for extra in re.findall(r"\.\[([\w,]+)\]", script):
        assert set(extra.split(",")) <= set(PROJECT["project"]["optional-dependencies"])
    for module in re.findall(r"python -m ([\w.]+)", script):
        # These two are installed by the script itself.
        assert module in ("pip", "build") or util.find_spec(module), module
    for program in re.findall(r"^(?:\.venv/bin/)?(ruff|mypy|lint-imports)\b", script, re.MULTILINE):
        assert any(
            re.match(rf"{'import-linter' if program == 'lint-imports' else program}\b", needed)
            for needed in PROJECT["project"]["optional-dependencies"]["test"]
        )
    for path in re.findall(r"^(\.ci/\S+)", script, re.MULTILINE):
        assert os.access(ROOT / path, os.X_OK), path


@bash
@pytest.mark.parametrize(("tag", "status"), [("v{}", 0), ("v{}0", 1), ("{}", 1)])
def test_a_tag_is_compared_with_the_version(tag: str, status: int) -> None:
    from simdup import __version__

    script = SCRIPTS["release: sdist: Compare the tag with the version"]
    changes = {"GITHUB_REF_NAME": tag.format(__version__)}
    changes["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-e", "-c", script], cwd=ROOT, env=os.environ | changes, check=False
    )
    assert done.returncode == status
