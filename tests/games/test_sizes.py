"""Word games in other groups: who is special, what is told, and how votes end."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from pydantic import ValidationError

from parlour.games.engine.game import Game
from parlour.games.engine.moves import Seat, player
from parlour.games.engine.prompts import render
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.engine.talk import Ballot, Ending
from parlour.games.impostor.rules import Variant
from parlour.games.testing.playthrough import play, saying

WORD_GAMES = [
    pytest.param(games()[name], id=name) for name in ("impostor", "undercover", "chameleon")
]
every_word_game = pytest.mark.parametrize("game", WORD_GAMES)
IMPOSTOR, UNDERCOVER, CHAMELEON = (games()[n] for n in ("impostor", "undercover", "chameleon"))
SIZES = [(4, 1), (5, 1), (5, 2), (7, 3), (10, 1), (10, 3)]


def settings(game: Game, **keys: object) -> list[Any]:
    """The settings of the shipped records under these keys."""
    variant = game.variant.model_validate(keys)
    number = len(game.settings_file.expand_settings(variant)) * len(game.shipped())
    ways = number // len(game.shipped())
    return [game.make_setting(game.shipped()[n // ways], variant, n) for n in range(number)]


def table(game: Game, setting: int = 0, seed: int = 1, **keys: object) -> Table:
    """A table before its first answer."""
    made = settings(game, probes="off", **keys)[setting]
    return Table(game, made, game.seats(made), seed)


def special(table: Table) -> list[Seat]:
    """The seats of the special role."""
    sides = table.game.sides(table.setting)
    return [seat for seat in table.seats if sides[seat] == table.game.scoring.special]


def held(match: Table, seat: Seat) -> tuple[str, ...]:
    """The words that a seat was told."""
    return tuple(event.record["word"] for event in match.view(seat).told("word"))


def at_the_vote(match: Table) -> Table:
    while match.pending is not None and match.pending.kind != "vote":
        match.answer({seat: {"text": "a clue"} for seat in match.waiting})
    return match


def voted(match: Table, *suspects: int, **more: Mapping[int, Any]) -> Table:
    """The match after a ballot, in which nobody names itself."""
    at_the_vote(match).answer(
        {
            Seat(seat): {"suspect": player(suspect), **more.get(f"of_{seat}", {})}
            for seat, suspect in enumerate(suspects)
        }
    )
    return match


def ballot(match: Table, named: Sequence[int]) -> list[int]:
    """A vote of each seat for the next of these, or, if that is itself, for the next seat."""
    suspects = [named[(seat + 1) % len(named)] for seat in match.seats]
    return [
        (suspect + 1) % len(suspects) if suspect == seat else suspect
        for seat, suspect in enumerate(suspects)
    ]


@every_word_game
def test_the_group_of_the_paper_is_stored_and_told_as_ever(game: Game) -> None:
    setting, variant = settings(game)[-1], game.variant()
    for part in (setting, variant):
        assert not {"players", "special_seats", "deal"} & part.model_dump().keys()
    assert game.condition(game.variant(players=6, special_seats=2)) == "players=6,special_seats=2"
    match = table(game)
    assert match.events[0].record.keys() <= {"players", "clue_rounds"}


@every_word_game
@pytest.mark.parametrize(("players", "count"), SIZES)
def test_each_seat_is_special_equally_often(game: Game, players: int, count: int) -> None:
    held: Counter[int] = Counter()
    for setting in settings(game, players=players, special_seats=count):
        roles = game.sides(setting)
        assert len(roles) == players
        assert roles.count(game.scoring.special or "") == count
        held.update(seat for seat, role in enumerate(roles) if role == game.scoring.special)
    assert len(held) == players
    if game is IMPOSTOR or count == 1:
        assert max(held.values()) - min(held.values()) <= (20 % players > 0)


@every_word_game
def test_who_is_special_together_differs_from_setting_to_setting(game: Game) -> None:
    pairs = {game.sides(each) for each in settings(game, players=6, special_seats=2)}
    assert len(pairs) > 10  # of the 15 there are


@every_word_game
@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"players": 6, "special_seats": 3}, "special_seats = 3 is no minority of 6 players"),
        ({"special_seats": 2}, "special_seats = 2 is no minority of"),
        ({"players": 11}, "less than or equal to 10"),
        ({"players": 2}, "greater than or equal to"),
    ],
)
def test_a_group_that_cannot_play_is_refused(
    game: Game, keys: Mapping[str, int], problem: str
) -> None:
    with pytest.raises(ValidationError, match=problem):
        game.variant.model_validate(keys)


def test_teams_and_shipped_first_moves_need_their_groups() -> None:
    with pytest.raises(ValidationError, match="'team_blind' needs an even number of players"):
        Variant(assignment="team_blind", players=5)
    for game in (UNDERCOVER, CHAMELEON):
        with pytest.raises(ValidationError, match="first_moves = 'shipped' needs the usual group"):
            game.variant(first_moves="shipped", players=4)


@every_word_game
def test_special_players_share_what_they_hold(game: Game) -> None:
    match = table(game, players=7, special_seats=3)
    words = {seat: held(match, seat) for seat in match.seats}
    of_special = {words[seat] for seat in special(match)}
    of_others = {words[seat] for seat in match.seats if seat not in special(match)}
    assert len(of_special) == len(of_others) == 1
    assert of_special != of_others
    assert of_special == {()} or game is not CHAMELEON


@pytest.mark.parametrize("game", [UNDERCOVER, CHAMELEON])
@pytest.mark.parametrize("setting", range(5))
def test_whoever_alone_is_named_most_is_caught_if_it_is_special(game: Game, setting: int) -> None:
    def ending(*named: Seat) -> str | None:
        match = table(game, setting, players=6, special_seats=2)
        voted(match, *ballot(match, named))
        return match.outcome and match.outcome.ending

    match = table(game, setting, players=6, special_seats=2)
    first, second = special(match)
    ordinary = next(seat for seat in match.seats if seat not in (first, second))
    for caught in (first, second):  # a chameleon has still to guess
        assert ending(caught) == (None if game is CHAMELEON else "caught")
    assert ending(ordinary) == "escaped"
    assert ending(*match.seats) in {"tie", "even"}


def impostor_ending(votes: Sequence[int], impostors: Sequence[int]) -> str:
    """The ending of a ballot at a table of so many seats, with these impostors."""
    keys: dict[str, Any] = {"players": len(votes), "special_seats": len(impostors)}
    made = settings(IMPOSTOR, probes="off", **keys)
    setting = next(each for each in made if each.special == tuple(impostors))
    match = Table(IMPOSTOR, setting, len(votes), seed=1)
    voted(match, *votes)
    assert match.outcome is not None
    return match.outcome.ending


@pytest.mark.parametrize(
    ("votes", "impostors", "ending"),
    [
        # Of six in the majority four are more than half, whatever the top.
        ((1, 0, 0, 0, 0, 1, 1), (0,), "convicted"),
        # Three are not, but they are the most.
        ((1, 2, 0, 0, 0, 1, 2), (0,), "convicted"),
        ((1, 2, 0, 0, 0, 1, 1), (0,), "tie"),
        ((1, 2, 1, 0, 0, 1, 1), (0,), "escaped"),
        # Of two impostors one is enough; their own votes count for the top.
        ((2, 0, 0, 0, 1), (0, 1), "convicted"),
        ((2, 2, 0, 1, 3), (0, 1), "escaped"),
        ((1, 2, 1, 2, 3), (0, 1), "tie"),
        ((1, 3, 1, 4, 2), (0, 1), "sole_suspect"),
    ],
)
def test_an_impostor_is_caught_by_more_than_half_or_by_the_most(
    votes: tuple[int, ...], impostors: tuple[int, ...], ending: str
) -> None:
    assert impostor_ending(votes, impostors) == ending


def test_any_impostor_may_declare_itself_for_all() -> None:
    keys: dict[str, Any] = {"players": 5, "special_seats": 2}
    for right in (True, False):
        match = table(IMPOSTOR, **keys)
        first, second = special(match)
        word = match.setting.majority_word if right else "nothing"
        own = {f"of_{second}": {"self_declaration": True, "word_guess": word}}
        voted(match, *ballot(match, [first]), **own)
        assert match.outcome is not None
        assert match.outcome.ending == ("impostor_guessed" if right else "impostor_misguessed")
        assert match.outcome.winners == tuple(
            seat for seat in match.seats if (seat in (first, second)) == right
        )
        (end,) = (each for each in talk(match) if isinstance(each, Ending))
        assert end.words.startswith(f"{player(second)} stood up and")


def talk(match: Table) -> Sequence[object]:
    return match.game.talk(match.seats, match.events, match.outcome)


def test_the_end_names_all_special_players_and_the_one_found_out() -> None:
    match = table(UNDERCOVER, players=6, special_seats=2)
    first, second = special(match)
    voted(match, *ballot(match, [second]))
    (end,) = (each for each in talk(match) if isinstance(each, Ending))
    assert end.words == f"{player(second)} is caught: it was an undercover"
    ordinary = next(seat for seat in match.seats if seat not in (first, second))
    match = voted(table(UNDERCOVER, players=6, special_seats=2), *ballot(match, [ordinary]))
    (end,) = (each for each in talk(match) if isinstance(each, Ending))
    assert end.words == f"{player(first)} and {player(second)} get away as the undercovers"


@pytest.mark.parametrize("game", [IMPOSTOR, CHAMELEON])
def test_clues_may_be_given_in_rounds_as_in_undercover(game: Game) -> None:
    match = play(table(game, clue_rounds=3), saying("a clue")).table
    said = [
        (event.round, event.record["speaker"]) for event in match.events if event.kind == "said"
    ]
    assert len(said) == len({*said}) == 3 * len(match.seats)
    assert {round for round, _ in said} == {1, 2, 3}


def test_a_team_has_half_of_the_seats() -> None:
    for mode, known in (("team_aware", [[1, 2], [3, 5]]), ("team_semi_aware", [2, 2])):
        match = table(IMPOSTOR, players=6, assignment=mode)
        of_seats = [match.view(Seat(seat)).told("team")[0].record for seat in (0, 4)]
        assert of_seats == [{"teammates": mates} for mates in known]
        system = render(IMPOSTOR, match.view(Seat(0)), "clue").system
        if mode == "team_aware":
            assert "You and Player 2 and Player 3 are team mates, and all of you know it." in system
        else:
            assert "Two of the other five are your team mates; you are not told which." in system
        assert any("team" in str(item) for item in talk(match))


@every_word_game
def test_ten_seats_have_a_board_a_ballot_and_prompts_without_the_wrong_article(game: Game) -> None:
    match = at_the_vote(table(game, players=10, special_seats=3))
    prompts = [render(game, match.view(seat), "vote") for seat in match.seats]
    for prompt in prompts:
        assert "a table of 10 in" in prompt.system
        for text in (prompt.system, prompt.question):
            assert f"the {game.scoring.special} " not in text.replace("'", " '")
    voted(match, *ballot(match, [0, 1]))
    while match.pending is not None:
        match.answer({seat: {"word": "nothing"} for seat in match.waiting})
    ring, *_ = game.board(match.seats, match.events, match.outcome)
    assert len(ring.arrows) == 10  # type: ignore[union-attr]
    assert len(ring.notes) == 3  # type: ignore[union-attr]
    (votes,) = (each for each in talk(match) if isinstance(each, Ballot))
    assert len(votes.votes) == votes.voters == 10
