"""Tournament files: the errors of bad ones, presets, and the stored form."""

import re
from pathlib import Path
from typing import ClassVar

import pytest

from parlour.agents.registry import strategies
from parlour.agents.scripted.words import RandomPlayer
from parlour.games.common.errors import BadInput
from parlour.tournament.plan.expansion import preset_names
from parlour.tournament.plan.loader import read_preset, read_tournament, stored_tournament
from parlour.tournament.plan.schedule import match_count
from tests.known import GAMES, KEYS, PRESETS, STRATEGIES
from tests.tournaments import SMALL, scripted, tournament, written

GAME = '[[games]]\nname = "undercover"\n'
AGENTS = scripted(Ada="bayesian", Rob="random")
MODEL = '[[agents]]\nname = "Mia"\nkind = "llm"\nmodel = "openai/gpt-4o-mini"\n'
GAME_KEYS = (
    "known: clue_rounds, difficulty, elimination, first_moves, jester, language, limit,"
    " lineup, matches, name, order, players, probes, scoring_told, settings, special_seats,"
    " talk_rounds, wording"
)
AGENT_KEYS = "keys of 'random': name, meta, kind, strategy, clue_bank, tremble"


def complaint_about(path: Path) -> str:
    """The complaint about a file, which must be one line."""
    with pytest.raises(BadInput) as refusal:
        read_tournament(path)
    said = str(refusal.value)
    assert "\n" not in said
    return said


def line(path: Path) -> str:
    """The complaint about a file as it begins with its path, less the line number."""
    said = complaint_about(path)
    said = said.replace(str(path), "FILE").replace(str(path.parent), "FOLDER")
    return re.sub(r"^FILE:\d+", "FILE", said)


LINES = """name = "lines"
# [[games]]

[[games]]
name = "undercover"
limit = 2
[[ games ]]  # another
name = "undercover"
lineup = [
  "Ada",  # limit = 3
  "Bo",
  "Bo",
]
""" + scripted(Ada="bayesian", Bo="random")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("limit = 2", "limit = 200", "6: games[0].limit: 200 is more than"),
        ("limit = 2", "limt = 2", "6: games[0].limt: is not a valid key"),
        ("limit = 2", 'probes = "often"', "6: games[0].probes: must be"),
        ("limit = 2", 'probes.often = "x"', "6: games[0].probes: must be"),
        ("limit = 2", "limit = 0", "6: games[0].limit: must be"),
        ('name = "undercover"\nlimit', "limit", "4: games[0].name: is missing"),
        ('"Ada",  #', '"Eve",  #', "9: games[1].lineup: unknown agent 'Eve'"),
        ("random", "radnom", "21: agents[1].strategy: unknown strategy"),
        ('name = "Bo"', 'name = "Ada"', "20: agents[1].name: 'Ada' is taken"),
        ('strategy = "random"', "", "19: agents[1].strategy: is missing"),
        ('name = "lines"', '\nname = "lines"\nsed = 1', "3: sed: is not a valid key"),
        ('name = "lines"', 'name = "lines"\npreset = "no"', "2: preset: unknown preset"),
        ('name = "lines"', 'name = "lines"\nlimit = 3', "2: limit: belongs to one block"),
    ],
)
def test_a_complaint_about_a_key_or_a_block_names_the_line(
    old: str, new: str, complaint: str, tmp_path: Path
) -> None:
    path = written(tmp_path, LINES.replace(old, new, 1))
    assert complaint_about(path).startswith(f"{path}:{complaint}")


def test_a_missing_key_has_no_line(tmp_path: Path) -> None:
    path = written(tmp_path, LINES.replace('name = "lines"', "", 1))
    assert complaint_about(path).startswith(f"{path}: name: is missing")


def test_a_block_of_a_preset_has_no_line(tmp_path: Path) -> None:
    path = written(tmp_path, 'preset = "all-games"\n[[agents]]\nname = "A"\nstrategy = "random"\n')
    assert complaint_about(path).startswith(f"{path}: ")


def file(top: str = "", game: str = "", agents: str = AGENTS) -> str:
    return f'name = "x"\n{top}\n{GAME}{game}\n{agents}'


AT_TOP = {
    "repetitions = true": "repetitions: must be a whole number (got true)",
    "repetition = 2": f"repetition: is not a valid key here; did you mean 'repetitions'? {KEYS}",
    "repetitions = 0": "repetitions: must be at least 1 (got 0)",
    "seed = 9223372036854775808": (
        "seed: must be less than 9223372036854775808 (got 9223372036854775808)"
    ),
    'seed = "7"': "seed: must be a whole number (got '7')",
    'schedule = "knockout"': (
        "schedule: must be 'round_robin', 'challenger' or 'adaptive' (got 'knockout')"
    ),
    'memory = "full"': "memory: belongs to one block; write it under [[agents]]",
    "limit = 3": "limit: belongs to one block; write it under [[games]]",
    'schedule = "challenger"': (
        "defender: is missing for the challenger schedule; name one of the agents: defender = 'Rob'"
    ),
    'schedule = "challenger"\ndefender = "Adda"': (
        "defender: unknown agent 'Adda'; did you mean 'Ada'? known: Ada, Rob"
    ),
    'defender = "Ada"': (
        "defender: 'Ada' is not used in a round robin;"
        ' set schedule = "challenger", or leave the defender out'
    ),
}
"""Lines above the blocks, each with the complaint about it."""
OF_GAME = {
    'schedule = "challenger"': (
        "schedule: belongs to the whole tournament;"
        " write it above the first [[games]] or [[agents]]"
    ),
    "clue_round = 1": (
        f"clue_round: is not a valid key here; did you mean 'clue_rounds'? {GAME_KEYS}"
    ),
    "clue_rounds = 0": "clue_rounds: must be at least 1 (got 0)",
    'probes = "often"': "probes: must be 'faithful', 'per_round' or 'off' (got 'often')",
    "limit = 21": "limit: 21 is more than undercover has; at most 20",
    'lineup = ["Ada", "Rob"]': (
        "lineup: names 2 agents; undercover has 3 seats for agents: name one for each"
    ),
    'lineup = ["Ada", "Rob", "Rod"]': (
        "lineup: unknown agent 'Rod'; did you mean 'Rob'? known: Ada, Rob"
    ),
    'lineup = "alon"': (
        "lineup: 'alon' is not a line-up: give a list of agents, 'alone' or 'in_turn'"
    ),
    'settings = "mine.json"': (
        "settings: there is no file FOLDER/mine.json; paths are relative to the tournament file"
    ),
}
"""The same in the block of the game."""
MIA = 'strategy = "random"\n\n' + MODEL
OF_AGENTS = {
    ('strategy = "random"', 'strategy = "random"\nrepetitions = 3'): (
        "agents[1].repetitions: belongs to the whole tournament;"
        " write it above the first [[games]] or [[agents]]"
    ),
    ('strategy = "random"', 'model = "gpt-4o"'): (
        'agents[1].kind: is missing for a language model; write kind = "llm"'
    ),
    ("strategy", "stategy"): ("agents[0].strategy: is missing; did you write 'stategy' instead?"),
    ('strategy = "random"', f"{MIA}prices = [-1.0, 2.0]"): (
        "agents[2].prices[0]: must be at least 0 (got -1.0)"
    ),
    ('strategy = "random"', f"{MIA}prices = [1.0, inf]"): (
        "agents[2].prices[1]: must be a number (got inf)"
    ),
    ('strategy = "random"', f"{MIA}for_ask = {{ votes = {{ temperature = 0.1 }} }}"): (
        "agents[2].for_ask: no game asks for 'votes'; did you mean 'vote'? known: analysis,"
        " approve, beliefs, choose, clue, contribute, donate, gossip, guess, invest, own_role,"
        " propose, report, return, scratchpad, supposed_word, vote"
    ),
    ('"random"', '["random", 3]'): (
        "agents[1].strategy: 3 is not a strategy name: write it in quotation marks"
    ),
    ("Ada", "A\\u202eda"): (
        "agents[0].name: 'Ada' has leading or trailing spaces, "
        "control characters, or letters not in NFC; remove them"
    ),
    ("Rob", "Ada"): "agents[1].name: 'Ada' is taken; give each agent its own name",
    ("bayesian", "bayesan"): (
        f"agents[0].strategy: unknown strategy 'bayesan'; did you mean 'bayesian'? {STRATEGIES}"
    ),
    ("random", 'random"\nkind = "script'): (
        "agents[1].kind: unknown kind 'script'; did you mean 'scripted'?"
        " known: function, human, llm, python, scripted"
    ),
    ("random", 'random"\ntemperature = "1'): (
        f"agents[1].temperature: is not a valid key here; {AGENT_KEYS}"
    ),
    (AGENTS.partition("\n\n")[0], ""): (
        "agents: 'Rob' has no opponent; add a second agent, or give each game a lineup"
    ),
}
"""Changes of the agents, what stands there and what in its place, each with the complaint."""
AS_WHOLE = {
    "name == 1": (
        "is not TOML (Invalid value (at line 1, column 7)); correct that line"
        ' (put the text in straight quotation marks: "text")'
    ),
    file().replace("[[agents]]", "[agents]"): (
        "is not TOML (Cannot declare ('agents',) twice (at line 11, column 8));"
        " write [[games]] and [[agents]] with double brackets, not [games] or [agents]"
    ),
    f"name = {'[' * 100_000}": (
        "is not TOML (maximum recursion depth exceeded); correct that line"
    ),
    GAME + AGENTS: "name: is missing; write name = ...",
    f'name = ""\n{GAME}{AGENTS}': "name: must have at least 1 character (got '')",
    f'name = "\\u001b[2Jx"\n{GAME}{AGENTS}': (
        "name: '[2Jx' has leading or trailing spaces, "
        "control characters, or letters not in NFC; remove them"
    ),
    file().replace('name = "x"', 'nmae = "x"', 1): (
        f"nmae: is not a valid key here; did you mean 'name'? {KEYS}"
    ),
    file().replace("[[games]]", "[[game]]"): (
        f"game: is not a valid key here; did you mean 'games'? {KEYS}"
    ),
    file().replace('name = "undercover"', 'nam = "undercover"'): (
        "games[0].name: is missing; did you write 'nam' instead?"
    ),
    file().replace('"undercover"', '"undercovr"'): (
        f"games[0].name: unknown game 'undercovr'; did you mean 'undercover'? {GAMES}"
    ),
    file(agents="[agents]" + AGENTS.split("[[agents]]")[1]): (
        "agents: is a table, not a list of tables; write [[agents]], not [agents]"
    ),
    file(game="players = 4\njester = true\n"): (
        "agents: a match of undercover takes 3, one for each side; add an agent, or give each game"
        " a lineup"
    ),
    'name = "x"\n' + AGENTS: "games: is missing; add a [[games]] block",
    'name = "x"\n' + GAME: "agents: is missing; add a [[agents]] block",
    'preset = "dmeo"\n': f"preset: unknown preset 'dmeo'; did you mean 'demo'? {PRESETS}",
    "preset = 3\n": f"preset: unknown preset 3; {PRESETS}",
}
"""Whole files, each with the complaint about it."""
BAD = [
    *((file(top), f"FILE: {AT_TOP[top]}") for top in AT_TOP),
    *((file(game=game), f"FILE: games[0].{OF_GAME[game]}") for game in OF_GAME),
    *((file(agents=AGENTS.replace(*each, 1)), f"FILE: {OF_AGENTS[each]}") for each in OF_AGENTS),
    *((text, f"FILE: {AS_WHOLE[text]}") for text in AS_WHOLE),
    (
        file(agents=AGENTS + 'clue_bank = "words.json"'),
        "FOLDER/words.json: cannot be read"
        " ([Errno 2] No such file or directory: 'FOLDER/words.json'); check the path",
    ),
]


@pytest.mark.parametrize(("text", "expected"), BAD, ids=[words[:60] for _, words in BAD])
def test_a_bad_file_is_refused_with_one_line_naming_file_field_value_and_fix(
    tmp_path: Path, text: str, expected: str
) -> None:
    assert line(written(tmp_path, text)) == expected


def test_a_file_that_cannot_be_read_is_named_with_its_reason(tmp_path: Path) -> None:
    fix = "give a tournament file, or --preset NAME (see `parlour list presets`)"
    assert line(tmp_path / "none.toml") == (
        f"FILE: cannot be read (No such file or directory); {fix}"
    )
    assert line(tmp_path / "..") == f"FILE: cannot be read (Is a directory); {fix}"


def test_a_file_that_is_not_text_is_not_toml(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_bytes(b"name = '\xff'")
    assert line(path) == (
        "FILE: is not TOML ('utf-8' codec can't decode byte 0xff in position 8:"
        " invalid start byte); save it as UTF-8"
    )


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_bytes(b"\xef\xbb\xbf" + file().encode())
    assert read_tournament(path).name == "x"


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ("budget = 5,00", "write numbers with a decimal point: 0.5"),
        ("seed: 3", "write name = value"),
        ("reflection = True", "write true or false"),
        ("schedule = round_robin", 'put the text in straight quotation marks: "text"'),
        ('schedule = "round_robin', "a quotation mark is missing"),
        ("näme = 3", "put a key with letters other than a to z in quotation marks"),
    ],
)
def test_a_common_toml_mistake_gets_a_hint(tmp_path: Path, wrong: str, hint: str) -> None:
    path = tmp_path / "t.toml"
    path.write_text(f"{wrong}\n{file()}", encoding="utf-8")
    assert line(path).endswith(f"; correct that line ({hint})")


SETTINGS = """[
 {"civilian_word": "train", "undercover_word": "tram", "undercover_seat": 0},
 {"civilian_word": "WORD", "undercover_word": "frog", "undercover_seat": SEAT}
]"""
BAD_SETTINGS = {
    "one bad record": (
        SETTINGS.replace("WORD", "toad").replace("SEAT", "3"),
        "FOLDER/mine.json, record 2, field undercover_seat: must be at most 2"
        " (got 3); fields: civilian_word, undercover_word, undercover_seat, openings",
    ),
    "a word that the clue bank has not": (
        SETTINGS.replace("WORD", "gizmo").replace("SEAT", "1"),
        "FILE: agents[0].clue_bank: 'bayesian' has no clues for the word 'gizmo' of 'undercover';"
        " give this agent a clue_bank file that has it, or use words of the shipped bank",
    ),
}


@pytest.mark.parametrize("case", BAD_SETTINGS)
def test_bad_settings_are_refused_naming_file_record_and_field(tmp_path: Path, case: str) -> None:
    text, expected = BAD_SETTINGS[case]
    (tmp_path / "mine.json").write_text(text, encoding="utf-8")
    assert line(written(tmp_path, file(game='settings = "mine.json"'))) == expected


def test_a_strategy_that_cannot_play_a_listed_game_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class ChessPlayer(RandomPlayer):
        games: ClassVar = frozenset({"chess", "go"})

    monkeypatch.setitem(strategies(), "chess-player", ChessPlayer)
    path = written(tmp_path, file(agents=AGENTS.replace("bayesian", "chess-player")))
    assert line(path) == (
        "FILE: agents[0].strategy: 'chess-player' cannot play 'undercover';"
        " it plays: chess, go; see `parlour list agents`"
    )


def test_an_agent_that_plays_no_match_of_a_game_need_not_be_able_to_play_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class ChessPlayer(RandomPlayer):
        games: ClassVar = frozenset({"chess"})

    monkeypatch.setitem(strategies(), "chess-player", ChessPlayer)
    agents = AGENTS + '[[agents]]\nname = "Kasp"\nstrategy = "chess-player"\n'
    text = file(game='lineup = ["Ada", "Rob", "Rob"]', agents=agents)
    assert len(tournament(tmp_path, text).agents) == 3


def test_paths_in_a_file_are_relative_to_the_file(tmp_path: Path) -> None:
    # Bank and settings lie beside the tournament file, which is not where the test runs.
    clues = [f"clue number {i}" for i in range(6)]
    bank = str({"words": {"gizmo": clues}}).replace("'", '"')
    (tmp_path / "words.json").write_text(bank, encoding="utf-8")
    settings = SETTINGS.replace("WORD", "gizmo").replace("SEAT", "1")
    (tmp_path / "mine.json").write_text(settings, encoding="utf-8")
    banked = AGENTS.replace("[[agents]]", '[[agents]]\nclue_bank = "words.json"')
    read = tournament(tmp_path, file(game='settings = "mine.json"', agents=banked))
    assert [record.model_dump()["civilian_word"] for record in read.games[0].records] == [
        "train",
        "gizmo",
    ]
    assert [agent.clue_bank for agent in read.agents] == [str(tmp_path / "words.json")] * 2


def test_limit_takes_the_first_settings(tmp_path: Path) -> None:
    read = tournament(tmp_path, file(game="limit = 2"))
    words = [record.model_dump()["civilian_word"] for record in read.games[0].records]
    assert words == ["guitar", "train"]


def test_keys_of_the_variant_are_read_and_make_the_condition(tmp_path: Path) -> None:
    read = tournament(tmp_path, file(game='clue_rounds = 1\nprobes = "off"'))
    usual = read.games[0].game.variant().model_dump()
    assert read.games[0].variant.model_dump() == usual | {"clue_rounds": 1, "probes": "off"}
    assert read.games[0].condition == "clue_rounds=1,probes=off"


def test_a_preset_gives_whatever_the_file_leaves_out(tmp_path: Path) -> None:
    small = read_preset("impostor-small")
    own = tournament(tmp_path, 'preset = "impostor-small"\nname = "mine"\n' + AGENTS)
    assert (own.name, own.seed, own.games) == ("mine", small.seed, small.games)
    assert [agent.name for agent in own.agents] == ["Ada", "Rob"]
    only_seed = tournament(tmp_path, 'preset = "impostor-small"\nseed = 99\n')
    assert (only_seed.name, only_seed.seed) == ("impostor-small", 99)
    assert (only_seed.games, only_seed.agents) == (small.games, small.agents)


def test_a_preset_can_be_played_against_an_own_defender(tmp_path: Path) -> None:
    text = 'preset = "impostor-small"\nschedule = "challenger"\ndefender = "Bea"\n'
    read = tournament(tmp_path, text)
    assert (read.schedule, read.defender, len(read.agents)) == ("challenger", "Bea", 4)


OWN = AGENTS.replace("bayesian", "random")


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_can_be_played_by_agents_of_ones_own(name: str, tmp_path: Path) -> None:
    preset = read_preset(name)
    # A jester takes three agents.
    own = tournament(tmp_path, f'preset = "{name}"\n{OWN}{scripted(Cal="random")}')
    assert match_count(own) > 0
    # A preset's defender comes along, so that there is an opponent.
    defender = [] if preset.defender is None else [preset.defender]
    assert [agent.name for agent in own.agents] == ["Ada", "Rob", "Cal", *defender]
    assert own.defender == preset.defender


def test_a_presets_defender_can_be_replaced(tmp_path: Path) -> None:
    def names(top: str, agents: str = OWN) -> tuple[str | None, list[str]]:
        read = tournament(tmp_path, f'preset = "magic-small"\n{top}\n{agents}')
        return read.defender, [agent.name for agent in read.agents]

    assert names('defender = "Rob"') == ("Rob", ["Ada", "Rob"])
    assert names("", OWN.replace("Rob", "Dora")) == ("Dora", ["Ada", "Dora"])
    assert names('schedule = "round_robin"') == (None, ["Ada", "Rob"])
    one = OWN[: OWN.rindex("[[agents]]")]
    assert names("", one) == ("Dora", ["Ada", "Dora"])
    assert names('defender = "Dora"') == ("Dora", ["Ada", "Rob", "Dora"])
    with pytest.raises(BadInput, match="defender: unknown agent 'Nora'; known: Ada, Rob"):
        names('defender = "Nora"')


def test_a_given_seed_goes_before_the_files(tmp_path: Path) -> None:
    assert read_tournament(written(tmp_path), seed=5).seed == 5
    assert read_preset("demo", seed=5).seed == 5
    with pytest.raises(BadInput, match=": seed: must be less than"):
        read_preset("demo", seed=2**63)


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_can_be_read_and_is_named_after_its_file(name: str) -> None:
    assert read_preset(name).name == name


FULL = """
name = "Ärger & co"
seed = 9223372036854775807
schedule = "challenger"
defender = "Rob"
repetitions = 3

[[games]]
name = "undercover"
clue_rounds = 3
probes = "faithful"
limit = 4

[[games]]
name = "undercover"
limit = 1
lineup = ["Ada", "Ada", "Rob"]
"""


@pytest.mark.parametrize("text", [SMALL, FULL + AGENTS], ids=["small", "every key"])
def test_a_tournament_reads_back_from_its_json(tmp_path: Path, text: str) -> None:
    read = tournament(tmp_path, text)
    again = stored_tournament(read.to_json(), "save")
    assert again == read
    assert again.to_json() == read.to_json()


def test_defaults_written_out_are_the_same_tournament(tmp_path: Path) -> None:
    plain = tournament(tmp_path, file())
    spelt = file(
        'seed = 0\nschedule = "round_robin"\nrepetitions = 1',
        'clue_rounds = 2\nprobes = "per_round"\nlimit = 20',
        AGENTS.replace("[[agents]]", '[[agents]]\nkind = "scripted"'),
    )
    assert tournament(tmp_path, spelt).to_json() == plain.to_json()


DONATION = """
name = "village"
[[games]]
name = "donation"
{keys}
""" + scripted(Ada="grim", Rob="greedy")


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ('monitoring = "private"\ngossip = "binary"', "gossip = 'binary' needs monitoring ="),
        ('monitoring = "public"\nself_report = true', "self_report = true needs monitoring ="),
        ("multiplier = 3", "games[0].multiplier: is not a valid key here"),
        ("players = 6", "games[0].players: is not a valid key here; write agents_per_match = ..."),
        ("agents_per_match = 3\ngreedy_seats = 3", "leaves none of 3 seats"),
        ('agents_per_match = 3\ngreedy_seats = 1\nlineup = ["Ada", "Rob", "Rob"]', "has 2 seats"),
    ],
)
def test_contradictory_keys_of_donation_are_refused(
    tmp_path: Path, keys: str, problem: str
) -> None:
    complaint = line(written(tmp_path, DONATION.format(keys=keys)))
    assert complaint.startswith("FILE: games[0]")
    assert problem in complaint


@pytest.mark.parametrize(
    "keys", ["", 'monitoring = "private"', 'gossip = "binary"\nself_report = true\nbenefit = 3']
)
def test_a_stored_donation_reads_back(tmp_path: Path, keys: str) -> None:
    one = read_tournament(written(tmp_path, DONATION.format(keys=keys)))
    again = stored_tournament(one.to_json(), "save")
    assert again == one
    assert again.to_json() == one.to_json()
