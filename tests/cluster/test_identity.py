"""The identity of an installation: what differs is named."""

import shutil
from pathlib import Path

import pytest

import parlour
from parlour.tournament.cluster.identity import WorkerIdentity, own_identity

HERE = WorkerIdentity("2.0", "3.11", ("parlour.agents mine mine 1.0",), "00ff")


def test_an_installation_is_like_itself() -> None:
    assert own_identity() == own_identity()
    assert own_identity().difference(own_identity()) == ""


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (HERE._replace(program="2.1"), "Parlour: 2.1 there, 2.0 here"),
        (HERE._replace(python="3.12"), "Python: 3.12 there, 3.11 here"),
        (HERE._replace(plugins=()), "plug-ins: none there, parlour.agents mine mine 1.0 here"),
        (HERE._replace(files="1111"), "the files of Parlour: 1111 there, 00ff here"),
    ],
)
def test_the_first_difference_is_named(other: WorkerIdentity, words: str) -> None:
    assert HERE.difference(other) == words


def test_a_changed_prompt_is_another_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = own_identity()
    copy = shutil.copytree(
        Path(parlour.__file__).parent, tmp_path / "parlour", ignore=shutil.ignore_patterns("*.pyc")
    )
    monkeypatch.setattr(parlour, "__file__", str(copy / "__init__.py"))
    assert own_identity() == before, "links and folders are alike"
    prompt = next((copy / "games" / "undercover").rglob("*.j2"))
    prompt.write_text(prompt.read_text(encoding="utf-8") + " ", encoding="utf-8")
    assert before.difference(own_identity()).startswith("the files of Parlour: ")
