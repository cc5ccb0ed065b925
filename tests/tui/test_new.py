"""The form for a new tournament: what it offers, what it forecasts, the file, and the start."""

import json
import tomllib
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from parlour.tournament.plan.expansion import preset_names
from parlour.tournament.plan.loader import read_preset, read_tournament
from parlour.tournament.plan.schedule import match_count
from parlour.tournament.save.reader import Save
from parlour.tui.look.look import Look
from parlour.tui.look.palette import PLAIN, SIXTEEN
from parlour.tui.models.form import Cursor, Field, FormRows
from parlour.tui.models.new_tournament import (
    Draft,
    changed,
    first_draft,
    preset_draft,
    schedule_fields,
    to_toml,
    tournament_file,
    variant_fields,
    with_preset_agents,
)
from parlour.tui.models.offered import (
    FOR_FILES,
    SCRIPTED,
    OfferedAgent,
    agents_file,
    offered_agents,
    own_agents,
)
from parlour.tui.models.plan_forecast import PlanForecast, Problem, forecast, run_options
from parlour.tui.screens.home import HomeScreen
from parlour.tui.screens.live import LiveScreen
from parlour.tui.screens.new import NewScreen
from parlour.tui.screens.planning import amount, duration, forecast_lines
from parlour.tui.views.fields import FieldLook
from parlour.tui.views.new_tournament import agent_rows, game_rows, schedule_rows
from parlour.tui.widgets.dialogs import ChoiceDialog
from parlour.tui.widgets.fields_pane import DIGITS, FieldsPane
from tests.tournaments import printed_json
from tests.tui.playing import Driven, driven, end, pane_text

MODELS = """
[[agents]]
name = "Mina"
kind = "llm"
model = "mina-1"
api_base = "http://localhost:9/v1"
api_key_env = "MINA_KEY"
prices = [1.0, 2.0]
parameters = { temperature = 0.5, max_tokens = 200 }
meta = { family = "mina", size = 7 }

[[agents]]
name = "Lotte"
kind = "llm"
model = "qwen3-32b"
api_base = "http://localhost:8000/v1"
"""


def own_models(text: str = MODELS) -> dict[str, OfferedAgent]:
    """The offered agents with those of a user's file."""
    path = agents_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return offered_agents(tuple(own_agents()))


def with_changes(draft: Draft, changes: Iterable[tuple[str, object]]) -> Draft:
    """A draft after several changes of fields, whose paths are written with slashes."""
    for path, value in changes:
        draft = changed(draft, tuple(path.split("/")), value)
    return draft


def paths(fields: Iterable[Field]) -> set[str]:
    """The paths of fields, with slashes."""
    return {"/".join(map(str, field.path)) for field in fields}


def lines(rows: FormRows) -> list[str]:
    """Rows of a form as plain text."""
    return [row.line.plain for row in rows]


def toggles(screen: NewScreen, *path: str) -> None:
    """Ticks or unticks a field of the form, as space does."""
    (field,) = [each for each in screen.fields(f"{path[0]}s") if each.path == path]
    screen.change(replace(field, content=not field.content))


def small(*agents: str) -> Draft:
    """A draft of one short game."""
    names = frozenset(agents or ("Bea", "Rowan"))
    return Draft("cup", frozenset({"undercover"}), names, numbers={"seed": "5"})


def sentences(plan: PlanForecast) -> list[str]:
    """The problems of a forecast."""
    return [problem.text for problem in plan.problems]


# --- The file


CHANGES: dict[str, list[tuple[str, object]]] = {
    "as it begins": [],
    "variants": [
        ("key/undercover/clue_rounds", "1"),
        ("key/undercover/lineup", "in_turn"),
        ("key/chameleon/limit", "2"),
        ("key/impostor/matches", "8"),
        ("key/impostor/difficulty", "medium"),
        ("key/investment/multiplier", "2.5"),
        ("key/donation/monitoring", "private"),
        ("key/cost_sharing/sequential_votes", True),
    ],
    "challengers": [
        ("schedule", "challenger"),
        ("defender", "Clara"),
        ("agent/Rowan", True),
        ("number/repetitions", "3"),
        ("number/seed", "99"),
    ],
    "few games": [("game/donation", False), ("game/reciprocity", False), ("agent/Clara", False)],
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_file_plans_to_the_numbers_of_the_forecast(name: str, tmp_path: Path) -> None:
    draft, offered = with_changes(first_draft(), CHANGES[name]), offered_agents()
    plan = forecast(draft, offered)
    assert sentences(plan) == []
    (tmp_path / "cup.toml").write_text(to_toml(tournament_file(draft, offered), {"pace": 4.0}))
    planned = printed_json("plan", "cup.toml", cwd=tmp_path)
    assert planned["matches"] == plan.matches > 0
    assert planned["asks"] == plan.asks > 0
    assert sum(plan.by_game.values()) == plan.matches
    assert planned["seed"] == int(draft.numbers["seed"])


def test_the_forecast_of_models_is_that_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINA_KEY", "not-a-real-key")
    offered = own_models()
    changes = [("number/budget", "0.0001"), ("detail/Mina/deliberation", "scratchpad")]
    draft = with_changes(small("Bea", "Mina"), changes)
    plan = forecast(draft, offered)
    (tmp_path / "cup.toml").write_text(to_toml(tournament_file(draft, offered), {}))
    planned = printed_json("plan", "cup.toml", cwd=tmp_path)
    (cost,) = planned["expenses"]
    assert cost["calls"] == plan.costs[0].calls > 0
    assert cost["dollars"] == plan.dollars
    assert planned["budgets"][0]["exceeded"] is True
    assert sentences(plan) == [
        "All models together may spend $0.00 but need about"
        f" ${plan.dollars:,.2f}: play ends when it is spent."
    ]
    assert not plan.obstacle  # a warning


def test_details_of_a_model_are_written_into_its_block() -> None:
    offered = own_models()
    changes = [
        ("detail/Mina/deliberation", "pgm_text"),
        ("detail/Mina/temperature", "0.9"),
        ("detail/Mina/memory", "10"),
        ("detail/Mina/budget", "3"),
    ]
    draft = with_changes(small("Bea", "Mina"), changes)
    text = to_toml(tournament_file(draft, offered), {})
    (mina,) = [agent for agent in tomllib.loads(text)["agents"] if agent["name"] == "Mina"]
    assert mina["meta"] == {"family": "mina", "size": 7}
    assert mina["parameters"] == {"max_tokens": 200, "temperature": 0.9}
    assert (mina["deliberation"], mina["memory"], mina["budget"]) == ("pgm_text", {"last": 10}, 3)
    Path("cup.toml").write_text(text)
    assert read_tournament(Path("cup.toml")).agent_budgets == {"Mina": 3.0}


def test_the_first_line_of_the_file_is_the_command_that_plays_it() -> None:
    draft = with_changes(small(), [("number/at once", "8"), ("number/pace", "2.5")])
    options = run_options(draft)
    assert (options.concurrency, options.pace) == (8, 2.5)
    text = to_toml(tournament_file(draft, offered_agents()), {"concurrency": 8, "pace": 2.5})
    assert text.startswith("# Play it: parlour run FILE --concurrency 8 --pace 2.5\n")


@pytest.mark.parametrize(
    ("pace", "at_once"), [("", 64), ("0.5", 1), ("2.5", 3), ("4", 4), ("500", 64), ("fast", 64)]
)
def test_with_a_pace_so_many_matches_are_played_at_once_that_each_moves(
    pace: str, at_once: int
) -> None:
    draft = with_changes(small(), [("number/pace", pace)])
    fields = {field.path: field for field in schedule_fields(draft, offered_agents())}
    assert fields["number", "at once"].unset == str(at_once)  # the form says so
    rows = lines(schedule_rows(draft, offered_agents(), FieldLook(Look(), 60)))
    assert any(row.split()[:3] == ["at", "once", str(at_once)] for row in rows)
    if pace not in {"", "fast"}:
        assert run_options(draft).concurrency == at_once


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_on_the_form_is_the_same_tournament(name: str, tmp_path: Path) -> None:
    draft = preset_draft(name)
    file = tmp_path / "filled.toml"
    offered = with_preset_agents(offered_agents(), name)
    file.write_text(to_toml(tournament_file(draft, offered), {}), encoding="utf-8")
    shipped, filled = (
        json.loads(tournament.to_json())
        for tournament in (read_preset(name), read_tournament(file))
    )
    for content in (shipped, filled):
        content["games"].sort(key=json.dumps)
    assert filled == shipped
    plan = forecast(draft, offered, lambda: False)
    assert plan.matches == match_count(read_preset(name))
    assert not plan.obstacle


def test_further_variants_of_a_preset_are_counted_and_go_with_their_game() -> None:
    draft, offered = preset_draft("impostor-small"), offered_agents()
    rows = game_rows(draft, None, "impostor", FieldLook(Look(), 60))
    assert any("+ 3 variants" in line for line in lines(rows))
    without = tournament_file(changed(draft, ("game", "impostor"), False), offered)
    assert without["games"] == []


def test_the_scripted_agents_have_all_shipped_strategies_and_play_every_game() -> None:
    from parlour.agents.registry import strategies

    used = FOR_FILES.union(*SCRIPTED.values())
    assert used == set(strategies())
    draft = with_changes(first_draft(), [(f"agent/{name}", True) for name in SCRIPTED])
    assert not forecast(draft, offered_agents()).obstacle


# --- Variants


def test_fields_of_a_variant_come_from_its_model() -> None:
    fields = {field.label: field for field in variant_fields(small(), "undercover")}
    assert fields["clue rounds"].kind == "number"
    assert fields["clue rounds"].hint == "1 to 10"
    assert fields["order"].options == (("shuffled", "shuffled"), ("seat", "seat"))
    assert fields["settings"].hint == "1 to 20"
    votes = {field.label: field for field in variant_fields(small(), "cost_sharing")}
    assert votes["sequential votes"].options == (("on", True), ("off", False))


def test_no_illegal_choice_is_offered() -> None:
    """Without gossip monitoring there is no form of gossip to choose."""
    before = [field.label for field in variant_fields(small(), "donation")]
    draft = changed(small(), ("key", "donation", "monitoring"), "private")
    after = [field.label for field in variant_fields(draft, "donation")]
    assert "gossip" in before
    assert "gossip" not in after
    chosen = changed(small(), ("key", "donation", "gossip"), "binary")
    fields = {field.label: field for field in variant_fields(chosen, "donation")}
    assert ("private", "private") not in fields["monitoring"].options


# --- Problems


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ([("game/undercover", False)], "No game is ticked: space ticks the one under the cursor."),
        ([("agent/Rowan", False)], "Agents 'Bea' has no opponent: add a second agent, or give"),
        ([("key/undercover/clue_rounds", "0")], "Undercover, clue rounds must be at least 1 (got"),
        ([("key/undercover/clue_rounds", "")], "Undercover, clue rounds must be a whole number"),
        ([("key/undercover/limit", "21")], "Undercover, settings 21 is more than undercover has"),
        ([("number/repetitions", "0")], "Repetitions must be at least 1 (got 0)."),
        ([("number/repetitions", "9999999")], "Repetitions 9999999 make"),
        ([("number/budget", "-1")], "Budget must be at least 0 (got -1)."),
        ([("number/pace", "0")], "Pace 0 is not a number of asks a second: give at least 0.01"),
        ([("number/at once", "2.5")], "At once 2.5 is not a number of matches: give 1 to 10,000"),
        ([("name", "")], "The tournament has no name: write one under Schedule."),
        ([("name", "a/b")], "The name has a slash, which no file's name can have."),
    ],
)
def test_a_problem_is_a_sentence_that_forbids_playing(
    changes: list[tuple[str, object]], sentence: str
) -> None:
    plan = forecast(with_changes(small(), changes), offered_agents())
    assert [text for text in sentences(plan) if text.startswith(sentence)]
    assert all(text.endswith(".") for text in sentences(plan))
    assert plan.obstacle


def test_all_problems_are_named_and_the_rest_is_counted() -> None:
    changes = [
        ("game/chameleon", True),
        ("game/donation", True),
        ("key/chameleon/limit", "99"),
        ("key/donation/benefit", "-1"),
    ]
    plan = forecast(with_changes(small(), changes), offered_agents())
    assert len(plan.problems) == 2
    assert plan.matches == plan.by_game["undercover"] > 0


def test_the_state_of_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    offered = own_models()
    assert (offered["Mina"].key, offered["Lotte"].key) == ("missing", "unneeded")
    assert "MINA_KEY" in offered["Mina"].fix
    plan = forecast(small("Bea", "Mina"), offered)
    assert any(text.startswith("Mina has no key: set MINA_KEY") for text in sentences(plan))
    assert plan.obstacle
    monkeypatch.setenv("MINA_KEY", "not-a-real-key")
    assert own_models()["Mina"].key == "set"


def test_a_block_that_cannot_be_used_says_why() -> None:
    offered = own_models('[[agents]]\nname = "Odd"\nkind = "llm"\nmodel = ""\n')
    assert "model" in offered["Odd"].fix
    assert forecast(small("Bea", "Odd"), offered).obstacle


def test_hostile_agents_are_shown_as_text_and_refused_in_a_sentence() -> None:
    odd = '"\\u001b[31m[red]x\\u009b\\n"'
    offered = own_models(
        f'[[agents]]\nname = {odd}\nkind = "llm"\nmodel = {odd}\nparameters = 3\n'
        f"api_base = {odd}\n[[agents]]\nname = 3\nkind = {odd}\n"
    )
    draft = Draft("cup", frozenset({"undercover"}), frozenset(offered))
    draft = with_changes(draft, [(f"detail/{name}/temperature", "1") for name in offered])
    plan = forecast(draft, offered)
    assert plan.obstacle
    text = "".join(line.plain for line in forecast_lines(plan, Look(), 60, 40))
    for name in offered:
        look = FieldLook(Look(), 60, Cursor(("agent", name)))
        text += "".join(lines(agent_rows(draft, offered, plan, name, look, "agents.toml")))
    assert "[red]x" in text
    assert text.isprintable()
    assert to_toml(tournament_file(draft, offered), {})


def test_own_agents_take_the_place_of_scripted_ones_of_their_name() -> None:
    offered = own_models('[[agents]]\nname = "Bea"\nstrategy = "random"\nclue_bank = "bank.json"\n')
    assert offered["Bea"].section == "models"
    assert offered["Bea"].block["clue_bank"] == str(agents_file().parent / "bank.json")


# --- Drawing


@pytest.mark.parametrize("look", [Look(), Look(SIXTEEN, PLAIN)], ids=["fancy", "plain"])
@pytest.mark.parametrize("agents", [0, 1, 2, 7, 12])
def test_every_line_has_the_width_of_its_pane(agents: int, look: Look) -> None:
    blocks = "".join(
        f'[[agents]]\nname = "{name}"\nkind = "llm"\nmodel = "m"\napi_base = "http://h/v1"\n'
        for name in ("Mina", "[red]", "村上", "x" * 60, "y")
    )
    offered = own_models(blocks)
    names = frozenset(list(offered)[:agents])
    draft = with_changes(small(), [("schedule", "challenger")])
    draft = Draft("cup", frozenset({"impostor", "donation"}), names, schedule=draft.schedule)
    problem = Problem("Mina has no key: set it in the environment, or untick it. " * 3)
    costs = forecast(Draft("c", draft.games, names & {"Mina", "Bea"}), offered).costs
    pairs = {("Bea", "Clara"): 1234}
    counted = PlanForecast(9, 123_456, {"impostor": 9}, pairs, costs, 5.0, 90.0, True, (problem,))
    for width in (20, 34, 38, 54, 80, 120, 220):
        for plan in (None, counted):
            at = [Cursor(path) for path in (("game", "impostor"), ("agent", "Mina"), ("name",))]
            games, agents, schedule = (FieldLook(look, width, each) for each in at)
            rows = game_rows(draft, plan, "impostor", games)
            rows += agent_rows(draft, offered, plan, "Mina", agents, "a.toml")
            rows += schedule_rows(draft, offered, schedule)
            drawn = [row.line for row in rows] + forecast_lines(plan, look, width, 20)
            assert {line.cell_len for line in drawn} == {width}


def test_numbers_are_short() -> None:
    assert [amount(n) for n in (7, 99_999, 412_000, 4_100_000)] == ["7", "99,999", "412 k", "4.1 M"]
    assert [duration(s) for s in (None, 0.2, 80, 840, 9000)] == [
        *("–", "≈ 1 s", "≈ 80 s", "≈ 14 min", "≈ 2 h")
    ]


# --- Keys


async def to_the_form(pilot: Driven) -> NewScreen:
    await pilot.press("n")
    return pilot.at(NewScreen)


@asynccontextmanager
async def form(size: tuple[int, int] = (80, 24)) -> AsyncIterator[tuple[Driven, NewScreen]]:
    """The app on the form for a new tournament, and this form."""
    async with driven(None, size=size) as pilot:
        yield pilot, await to_the_form(pilot)


async def settled(pilot: Driven) -> None:
    """The forecast is of the draft as it is."""
    screen = pilot.at(NewScreen)
    draft = screen.draft
    plan = forecast(draft, screen.offered)
    await pilot.until(lambda: screen.plan == plan)


@pytest.mark.slow
async def test_from_the_command_to_a_tournament_of_ones_own_in_at_most_25_keys() -> None:
    """A choice of games, a variant, agents, and a schedule; `parlour` itself is one key more."""
    keys = [
        *("n", "a", "down", "down", "space"),  # only Undercover
        *("enter", "backspace", "1"),  # one setting of it
        *("tab", "down", "down", "space", "down", "space"),  # Otto for Gwen
        "ctrl+r",
    ]
    assert len(keys) + 1 <= 25
    save = Path("saves/my-tournament.db")
    try:
        async with driven(None) as pilot:
            for key in keys:
                await pilot.press(key)
            await pilot.until(lambda: isinstance(pilot.app.screen, LiveScreen))
            assert pilot.live.watched.path == save
            await pilot.until(lambda: pilot.live.watched.state == "finished")
            await pilot.press("escape", at=HomeScreen)
        with Save(save) as opened:
            assert [entry.game.name for entry in opened.tournament.games] == ["undercover"]
            assert len(opened.tournament.games[0].records) == 1
            agents = [agent.name for agent in opened.tournament.agents]
            assert agents == ["Bea", "Clara", "Otto"]
    finally:
        end(save)


async def test_a_problem_takes_playing_out_of_the_footer() -> None:
    async with form() as (pilot, screen):
        await settled(pilot)
        assert "^r" in pilot.shown.splitlines()[-1]
        await pilot.press("a")
        await pilot.until(lambda: "^r" not in pilot.shown.splitlines()[-1])
        assert "No game is ticked" in pane_text(screen, "#forecast")
        await pilot.press("ctrl+r")
        assert not list(Path().glob("*.toml"))
        await pilot.press("space", "down", "space")
        await pilot.until(lambda: "^r" in pilot.shown.splitlines()[-1])


@pytest.mark.slow
async def test_a_key_to_play_before_the_forecast_is_there_waits_for_it() -> None:
    save = Path("saves/my-tournament.db")
    try:
        async with form() as (pilot, screen):
            await settled(pilot)
            await pilot.press("a")
            await pilot.until(lambda: "No game is ticked" in pane_text(screen, "#forecast"))
            toggles(screen, "game", "undercover")
            assert screen.check_action("play", ())  # the problem is that of an older form
            assert screen.why_not("play") == ""
            screen.action_play()
            assert not Path("my-tournament.toml").exists()
            await pilot.sees("1 Matches")
            assert pilot.live.watched.path == save
    finally:
        end(save)


async def test_a_key_to_play_that_waited_says_why_it_cannot() -> None:
    async with form() as (pilot, screen):
        await settled(pilot)
        for name in screen.draft.games:
            toggles(screen, "game", name)
        screen.action_play()
        await pilot.until(lambda: any("No game is ticked" in text for text in pilot.toasts))
        assert not Path("my-tournament.toml").exists()


async def test_saving_writes_the_file_and_asks_before_it_replaces_another() -> None:
    file = Path("my-tournament.toml")
    async with form() as (pilot, _):
        await pilot.press("ctrl+s", says="Written: my-tournament.toml")
        assert len(read_tournament(file).games) == 9
        await pilot.press("space", "ctrl+s")  # its own file needs no question
        assert len(read_tournament(file).games) == 8
        file.write_text("# by hand")
        await pilot.press("space", "ctrl+s", at=ChoiceDialog)
        await pilot.press("1")
        assert file.read_text() == "# by hand"
        await pilot.press("ctrl+s", "2")
        assert len(read_tournament(file).games) == 9


async def test_leaving_a_changed_form_asks_first() -> None:
    async with form() as (pilot, _):
        await pilot.press("escape", at=HomeScreen)
        await pilot.press("n", "space", "escape", "1", at=NewScreen)
        await pilot.press("escape", "2", at=HomeScreen)


async def test_numbers_and_names_are_typed_at_once_and_other_keys_still_work() -> None:
    async with form(size=(160, 48)) as (pilot, screen):
        await pilot.press("3", *["backspace"] * 20, *"winter cup 2")
        assert screen.draft.name == "winter cup 2"
        await pilot.press("down", "down", *"4", "k", "right", "down", "left")
        assert screen.draft.schedule == "challenger"
        assert screen.draft.defender == "Clara"  # before Gwen
        await pilot.press("down", "right", "right")
        assert screen.draft.numbers["repetitions"] == "16"
        await pilot.press("down", *"23", "j", "j", *"7")
        assert screen.draft.numbers["seed"] == "123"
        assert "123" in pane_text(screen, "#schedule")


async def test_a_text_is_edited_in_its_middle_and_taken_back() -> None:
    async with form(size=(80, 24)) as (pilot, screen):
        await pilot.press("3", "ctrl+u", *"summer cup", "ctrl+left", *"old ", "home", *"a ")
        assert screen.draft.name == "a summer old cup"
        await pilot.press("ctrl+z", "ctrl+z")
        assert screen.draft.name == "summer old cup"
        await pilot.press("ctrl+u", *"word " * 12, "up", "ctrl+k")  # up stays in the text
        assert screen.draft.name == "word " * 9
        await pilot.press(*["up"] * 9, "down")
        assert pilot.at_field == 0
        await pilot.press("end", "down")
        assert pilot.at_field == 1


async def test_a_click_into_a_text_puts_the_caret_there() -> None:
    async with form(size=(160, 48)) as (pilot, screen):
        await pilot.press("3")
        await pilot.click("#schedule", offset=(25, 2))  # behind the border, the label and "my"
        await pilot.press("X")
        assert screen.draft.name == "myX-tournament"


async def test_a_field_that_takes_digits_says_how_to_leave_it() -> None:
    async with driven(None, size=(80, 24)) as pilot:
        await pilot.press("n")
        assert DIGITS not in pilot.shown
        assert "tab pane" in pilot.shown.splitlines()[-1]
        await pilot.press("3", sees=DIGITS)
        await pilot.press("2", sees="my-tournament2 .toml")
        await pilot.press("down")  # a choice: digits go to panes
        assert DIGITS not in pilot.shown
        await pilot.press("down", sees=DIGITS)
        await pilot.press("tab")
        assert pilot.focused == "games"
        assert DIGITS not in pilot.shown


async def test_the_field_with_the_keys_has_a_sign_and_only_in_the_pane_that_has_them() -> None:
    async with form(size=(160, 48)) as (pilot, screen):
        assert pane_text(screen, "#games").count("▎") == 2  # a game takes two lines
        assert "▎" not in pane_text(screen, "#agents")
        await pilot.press("tab")
        assert pilot.focused == "agents"
        assert "▎[✓]  B  Bea" in pane_text(screen, "#agents")
        assert "▎" not in pane_text(screen, "#games")
        await pilot.press("tab", "tab")
        assert pilot.focused == "games"
        await pilot.press("2")
        assert pilot.focused == "agents"


async def test_narrow_screens_have_tabs_and_the_forecast_beside_them() -> None:
    async with form() as (pilot, _):
        await settled(pilot)
        assert " 1  Games   2  Agents   3  Schedule   4  Forecast" in pilot.shown
        assert "231  matches" in pilot.shown
        assert "scripted, free" not in pilot.shown
        await pilot.press("tab", sees=("scripted, free", "231  matches"))
        await pilot.press("4")
        assert pilot.focused == "forecast"


async def test_the_variant_is_that_of_the_game_under_the_cursor() -> None:
    async with form(size=(160, 48)) as (pilot, screen):
        assert "variant of Chameleon" in pane_text(screen, "#games")
        await pilot.press("down")
        assert "variant of Impostor" in pane_text(screen, "#games")
        # matches, five keys of the group, assignment, difficulty
        await pilot.press("enter", *["down"] * 7, "right")
        assert screen.draft.keys == {"impostor": {"difficulty": "easy"}}
        assert "difficulty easy" in pane_text(screen, "#games")


async def test_models_of_the_users_file_are_offered_with_their_keys() -> None:
    own_models()
    async with form(size=(160, 48)) as (pilot, screen):
        await pilot.until(lambda: "Mina" in pane_text(screen, "#agents"))
        assert "mina-1  localhost:9" in pane_text(screen, "#agents")
        await pilot.press("tab", *["down"] * 7, "space")
        await settled(pilot)
        assert "no key" in pane_text(screen, "#agents")
        assert "Mina in detail" in pane_text(screen, "#agents")
        assert "Mina has no key" in pane_text(screen, "#forecast")
        assert "model calls" in pane_text(screen, "#forecast")
        await pilot.press("enter", "right")
        assert screen.draft.details == {"Mina": {"deliberation": "scratchpad"}}


async def test_a_file_of_agents_that_cannot_be_read_is_said_in_one_line() -> None:
    agents_file().parent.mkdir(parents=True)
    agents_file().write_text("agents = 3")
    async with form() as (pilot, _):
        await pilot.until(lambda: bool(pilot.toasts))
        assert "has no [[agents]]; write blocks as in a tournament file" in pilot.toasts[0]


async def test_p_fills_the_form_in_from_a_preset() -> None:
    Path("demo.toml").write_text("")
    async with driven(None, size=(160, 48)) as pilot:
        await pilot.press("n", "p", at=ChoiceDialog)
        place = preset_names().index("demo") + 1
        await pilot.press(str(place), sees="from demo")
        screen = pilot.at(NewScreen)
        assert screen.draft.name == "demo-2"
        await pilot.until(lambda: "44 matches" in " ".join(pilot.shown.split()))
        await pilot.press("2", "space", "p")  # one agent less: this would be lost
        await pilot.sees("what it says now is lost")
        await pilot.press("escape", "escape", sees="The form is not saved")


async def test_a_ticks_all_of_a_section_or_none() -> None:
    own_models()
    async with form(size=(160, 48)) as (pilot, screen):
        await pilot.until(lambda: "Mina" in screen.offered)
        await pilot.press("a", "tab", "a")
        assert screen.draft.games == frozenset()
        assert screen.draft.agents == frozenset(SCRIPTED)  # no model, which costs money
        await pilot.press("a")
        assert screen.draft.agents == frozenset()


async def test_a_click_moves_to_a_field_and_another_one_ticks_it() -> None:
    async with form(size=(160, 48)) as (pilot, screen):
        await pilot.click("#games", offset=(6, 4))  # Impostor, below its family and Chameleon
        assert screen.query_one("#games", FieldsPane).at == ("game", "impostor")
        await pilot.click("#games", offset=(6, 4))
        assert "impostor" not in screen.draft.games


def test_a_tournament_with_a_person_has_no_forecast_of_time() -> None:
    plan = forecast(small("Bea", "You"), offered_agents())
    assert plan.seconds is None
    assert not plan.obstacle
    text = "\n".join(line.plain for line in forecast_lines(plan, Look(), 52, 30))
    assert "at your pace" in text


# --- The adaptive schedule


def adaptive(*further: tuple[str, object]) -> Draft:
    """A draft of two games that rank agents, with the adaptive schedule."""
    draft = Draft("ladder", frozenset({"undercover", "donation"}), frozenset({"Bea", "Clara"}))
    return with_changes(draft, [("schedule", "adaptive"), *further])


def test_the_adaptive_schedule_has_a_cap_and_a_rule_in_place_of_repetitions() -> None:
    there = paths(schedule_fields(adaptive(), offered_agents()))
    assert {"number/matches", "until"} < there
    assert not {"number/repetitions", "defender"} & there
    other = with_changes(adaptive(), [("schedule", "round_robin")])
    there = paths(schedule_fields(other, offered_agents()))
    assert "number/repetitions" in there
    assert not {"number/matches", "until"} & there


def test_its_file_is_an_adaptive_tournament_and_its_rule_an_option_of_the_run() -> None:
    draft = adaptive(("number/matches", "300"), ("until", "rank 1"))
    text = to_toml(tournament_file(draft, offered_agents()), {"until": run_options(draft).until})
    assert text.startswith("# Play it: parlour run FILE --until 'rank 1'\n")
    Path("ladder.toml").write_text(text, encoding="utf-8")
    read = read_tournament(Path("ladder.toml"))
    assert (read.schedule, read.most_matches, read.repetitions) == ("adaptive", 300, 1)
    plan = forecast(draft, offered_agents())
    assert not plan.obstacle
    assert plan.matches == match_count(read)
    assert "300 in all at most" in plan.problems[0].text


def test_what_it_cannot_play_is_said_before_playing() -> None:
    offered = offered_agents()
    plan = forecast(adaptive(("game/impostor", True)), offered)
    assert any(text.startswith("Impostor is scheduled in blocks") for text in sentences(plan))
    assert plan.obstacle
    plan = forecast(adaptive(("until", "rank 99")), offered)
    (beyond,) = (problem.text for problem in plan.problems if problem.forbids)
    assert beyond.startswith("Until 'rank 99' is beyond the ")
    plan = forecast(adaptive(("until", "soon")), offered)
    assert [problem.text for problem in plan.problems if problem.forbids] == [
        "Until 'soon' is no rule for the end: write rank, \"rank 3\" (from 1),"
        ' "interval < 0.1" (at most 1) or budget.'
    ]
    assert forecast(adaptive(("number/matches", "1")), offered).obstacle
    # A rule that was typed is of no account in another schedule.
    other = adaptive(("until", "soon"), ("schedule", "round_robin"))
    assert not forecast(other, offered).obstacle


async def test_the_form_plays_an_adaptive_tournament_until_its_rule() -> None:
    async with driven(None, size=(80, 24)) as pilot:
        await pilot.press("n")
        screen = pilot.at(NewScreen)
        screen.draft = adaptive(("number/matches", "300"))
        await pilot.press("3", "down", "down", *"rank 1", sees="the others follow")
        await pilot.press("ctrl+r", at=LiveScreen)
        path = pilot.live.watched.path
        end(path)
    with Save(path) as save:
        assert save.control().until == "rank 1"
        assert save.tournament.schedule == "adaptive"
