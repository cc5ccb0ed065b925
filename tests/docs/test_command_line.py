"""docs/command-line.md has every command and option of the program, and no other."""

import json
import re
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from pydantic.fields import FieldInfo

from parlour.agents.code_blocks import FunctionConfig
from parlour.agents.human import HumanConfig
from parlour.agents.llm.config import LLMConfig
from parlour.agents.registry import ScriptedConfig, strategies
from parlour.agents.scripted.dilemmas import DilemmaParameters
from parlour.cli.app import COMMANDS as SUMMARIES
from parlour.cli.app import load_command
from parlour.cli.listings import PAPERS
from parlour.cli.options import WORDS
from parlour.tournament.plan.schema import File, GameBlock, Limit
from tests.blocks import ROOT, blocks, codes, section, shell, table_rows, text_of, write_files
from tests.tournaments import called

PAGE = "docs/command-line.md"
COMMANDS: dict[str, Any] = {name: load_command(name) for name in SUMMARIES}


def parlour(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return called(sys.executable, "-m", "parlour", *arguments, cwd=folder)


def synopsis(name: str) -> str:
    """Synopsis of a command, made from the command itself."""
    parts = ["parlour", name]
    for parameter in COMMANDS[name].params:
        if parameter.param_type_name == "argument":
            word = parameter.metavar
            parts.append(word if parameter.required else f"[{word}]")
            continue
        choices = parameter.type_descriptor.choices
        value = "|".join(choices) if choices else parameter.metavar
        option = parameter.opts[0] if parameter.is_flag else f"{parameter.opts[0]} {value}"
        parts.append(option if parameter.required else f"[{option}]")
    return " ".join(parts)


def test_every_command_has_a_section_and_every_section_a_command() -> None:
    assert re.findall(r"^## `([\w-]+)`$", text_of(PAGE), re.MULTILINE) == list(COMMANDS)


def test_every_command_that_is_named_exists() -> None:
    rooms = ("agents", "games", "parlour", "ratings", "tournament", "tui")
    code = chain.from_iterable((ROOT / room).rglob("*.py") for room in rooms)
    for file in (*code, *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"):
        text = file.read_text(encoding="utf-8")
        named = re.findall(r"`parlour ([a-z][\w-]*)|\"parlour ([a-z][\w-]*) {", text)
        assert {*chain.from_iterable(named)} <= COMMANDS.keys() | {""}, file


def test_the_summaries_of_the_help_are_those_of_the_commands() -> None:
    for name, listed in SUMMARIES.items():
        assert COMMANDS[name].help.partition("\n")[0] == listed.summary


def test_all_words_are_of_parameters() -> None:
    known = set()
    for name, command in COMMANDS.items():
        for parameter in command.params:
            known |= {(name, parameter.name), ("", parameter.name)}
    assert WORDS.keys() <= known


@pytest.mark.parametrize("name", COMMANDS)
def test_the_synopsis_is_that_of_the_command(name: str) -> None:
    block = re.search(r"^```text\n(.*)\n```$", section(PAGE, f"`{name}`"), re.MULTILINE)
    assert block
    assert block[1] == synopsis(name)


def option_rows(name: str) -> list[list[str]]:
    """The rows of the table of options of a command."""
    _, _, table = section(PAGE, f"`{name}`").partition("| Option | Meaning |")
    return table_rows(f"| Option | Meaning |{table}")


def test_every_paper_of_the_presets_is_cited_there() -> None:
    cited = section(PAGE, "`list`")
    for name, paper in PAPERS.items():
        (row,) = (row for row in table_rows(cited) if name in codes(row[0]))
        assert paper.rpartition(", ")[2] in row[-1]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained_with_its_default(name: str) -> None:
    rows = {codes(row[0])[0]: row[1] for row in option_rows(name)}
    parameters = {
        p.metavar if p.param_type_name == "argument" else p.opts[0]: p
        for p in COMMANDS[name].params
    }
    assert list(rows) == list(parameters)
    for option, parameter in parameters.items():
        if parameter.default is not None and parameter.default is not False:
            assert str(parameter.default) in codes(rows[option]), option


@pytest.mark.parametrize("name", COMMANDS)
def test_help_names_every_option(name: str) -> None:
    done = parlour(ROOT, name, "--help")
    assert done.returncode == 0
    for parameter in COMMANDS[name].params:
        if parameter.param_type_name == "option":
            assert parameter.opts[0] in done.stdout


def test_the_strategies_are_those_that_ship() -> None:
    rows = table_rows(section(PAGE, "Strategies"))
    assert sorted(codes(row[0])[0] for row in rows) == sorted(strategies())


def test_the_exit_codes_are_those_described(tmp_path: Path) -> None:
    rows = table_rows(section(PAGE, "Exit codes"))
    assert [row[0] for row in rows] == ["0", "1", "2", "3", "4", "5", "130"]
    assert parlour(tmp_path, "list", "presets").returncode == 0
    for arguments in (["run", "--preset", "nope"], ["run", "--nope"], ["check", "nope.db"]):
        done = parlour(tmp_path, *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.count("\n") == 1


def test_json_on_standard_output_is_nothing_but_json(tmp_path: Path) -> None:
    for command in ("list games", "list agents", "list presets", "plan --preset demo"):
        assert json.loads(shell(f"parlour {command} --format json", tmp_path))


def keys(table: int) -> dict[str, str]:
    """Key and default of each row in one of the tables on tournament files."""
    heads = re.split(
        r"^\| Key \| Default \| Meaning \|$", section(PAGE, "Tournament files"), flags=re.M
    )
    rows = table_rows(f"| Key | Default | Meaning |{heads[table + 1]}")
    return {codes(row[0])[0]: "".join(codes(row[1])) for row in rows}


def usual(field: FieldInfo) -> object:
    """The default of a key, None if there is none."""
    return None if field.is_required() else field.get_default(call_default_factory=True)


def test_the_keys_of_tournament_files_are_those_described() -> None:
    models = (
        *(File, GameBlock, ScriptedConfig, DilemmaParameters),
        *(LLMConfig, FunctionConfig, HumanConfig, Limit),
    )
    for table, model in enumerate(models):
        described = keys(table)
        if model is File:
            put_in = {key: described.pop(key) for key in ("preset", "include", "defaults")}
            assert not any(put_in.values())
        defaults = {
            name: "" if (default := usual(field)) is None else str(default)
            for name, field in model.model_fields.items()
        }
        assert described == defaults


def test_the_example_of_a_tournament_file_is_one(tmp_path: Path) -> None:
    write_files(PAGE, tmp_path)
    (script,) = blocks(PAGE, "sh")
    # 2 repetitions × 5 settings × both sides of one pairing.
    assert "night: 20 matches in 1 experiment, " in shell(script, tmp_path)
