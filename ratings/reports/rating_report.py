"""The report of a rating, a newcomer's strength on the frozen scale; and that of the pool."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict

from parlour.games.common import forms
from parlour.games.common.tables import Column, ColumnTable, listed, taken
from parlour.games.engine.game import Hints
from parlour.games.engine.registry import find_game
from parlour.ratings.reference.placing import FaultCount, Placement, Rating, pool_over
from parlour.ratings.reference.scale import Scale
from parlour.ratings.reports.report import Record, Report

FIELDS = (
    *("agent", "scale", "anchor", "game", "role", "strength", "strength_se", "strength_low"),
    *("strength_high", "matches", "weaker", "stronger", "alike", "faults", "answers"),
    "provisional",
)
POOL_FIELDS = ("scale", "anchor", "game", "role", "agent", "plays", "strength", "matches")
OVERALL = "all games"
STRENGTH = forms.interval(2, forms.TOO_FEW)
POOL = {"Game": forms.TEXT, "Agent": forms.TEXT, "Strength": forms.decimals(2)}
"""One row for each agent in each game, since a column a game would not fit a terminal."""


def place_of(weaker: str | None, stronger: str | None) -> str:
    """Returns where a newcomer stands between two players of the pool, in words."""
    if stronger is None:
        return f"above {weaker}, the strongest"
    if weaker is None:
        return f"below {stronger}, the weakest"
    return f"between {weaker} and {stronger}"


def rating_report(
    ratings: Sequence[Rating],
    finished: int,
    planned: int,
    provenance: Sequence[Mapping[str, object]] = (),
    own_words: Collection[str] = (),
) -> Report:
    """Returns the report of the newcomers of a save, of whose planned matches some are finished.

    ``provenance`` are remarks on what changed within the figures, each with its ``sentence``.
    ``own_words`` are newcomers that give clues in words of their own: their figures in games of
    words are provisional.
    """
    records: list[Record] = []
    for rating in ratings:
        words = _word_games(rating) if rating.newcomer in own_words else []
        for each in rating.all():
            provisional = each.game in words if each.game else bool(words)
            records.append({**_record(rating, each), "provisional": provisional})
    scale = ratings[0].scale
    names = ", ".join(rating.newcomer for rating in ratings)
    return Report(
        fields=FIELDS,
        records=records,
        body={
            "scale": _scale(scale),
            "finished": finished,
            "planned": planned,
            "provenance": [*provenance],
            "strengths": records,
        },
        tables=[_table(each, len(ratings) > 1) for each in ratings if each.overall is not None],
        notes=[
            *([f"{finished} of {planned} matches finished."] * (finished < planned)),
            *_notes(ratings),
            *_provisional([rating for rating in ratings if rating.newcomer in own_words]),
            *(f"{remark['sentence']}." for remark in provenance),
        ],
        title=f"{names} on {scale.title}",
    )


def _word_games(rating: Rating) -> list[str]:
    """The games of a rating whose scripted players take clues from a bank."""
    without = Hints().words
    return [name for name in rating.by_game if find_game(name, name).hints.words is not without]


def _provisional(ratings: Sequence[Rating]) -> Iterator[str]:
    for rating in ratings:
        if words := _word_games(rating):
            more = ", and so over all games" if len(rating.by_game) > len(words) else ""
            yield (
                f"{rating.newcomer}: provisional in {', '.join(words)}{more}. The pool understands"
                " clues in other words less well than its own, and this was not yet measured with"
                " models."
            )


def _faults(rating: Rating, placed: Placement) -> FaultCount | None:
    """The faults in a game or in all; a role has none of its own."""
    return None if placed.role else rating.faults.get(placed.game)


def _table(rating: Rating, has_heading: bool) -> ColumnTable[Placement]:
    def faulty(placed: Placement) -> str:
        count = _faults(rating, placed)
        return "" if count is None else f"{count.faults}/{count.answers}"

    role: Column[Placement] = Column("Role", lambda placed: placed.role or "")
    columns: list[Column[Placement]] = [
        Column("Game", lambda placed: placed.game or OVERALL),
        *([role] if rating.by_role else []),
        Column("Strength", lambda each: (each.value, each.low, each.high), STRENGTH),
        Column("Matches", lambda placed: placed.matches, forms.COUNT),
        Column("Faults", faulty, forms.COUNT),
        Column("Place in the pool", lambda placed: place_of(placed.weaker, placed.stronger)),
        Column("Like", lambda placed: ", ".join(placed.alike) or None),
    ]
    return ColumnTable(columns, list(rating.all()), rating.newcomer if has_heading else "")


def _scale(scale: Scale) -> Record:
    return {"version": scale.version, "anchor": scale.anchor, "pool": list(scale.agents)}


def _notes(ratings: Sequence[Rating]) -> Iterator[str]:
    scale = ratings[0].scale
    yield (
        f"Strength: on {scale.title}; the scale is frozen, and no newcomer moves it. In brackets:"
        " 95 % intervals, clustered by observation or setting. Like: the players of the pool whose"
        " strength is in the interval."
    )
    for rating in ratings:
        if rating.overall is None:
            yield f"{rating.newcomer}: no match against the pool is finished yet."
            continue
        if len(rating.by_game) > 1:
            yield f"{rating.newcomer}, all games: the mean over {len(rating.by_game)} games."
        missing = [name for name in scale.games if name not in rating.by_game]
        if missing:
            yield f"{rating.newcomer} has not played: {', '.join(missing)}."
    if len(ratings) > 1:
        yield "Matches and faults are of what a newcomer played against the pool alone."


def _record(rating: Rating, placed: Placement) -> Record:
    count = _faults(rating, placed)
    return {
        "agent": rating.newcomer,
        "scale": rating.scale.version,
        "anchor": rating.scale.anchor,
        **taken(placed, ("game", "role")),
        "strength": placed.value,
        "strength_se": placed.se,
        "strength_low": placed.low,
        "strength_high": placed.high,
        **taken(placed, ("matches", "weaker", "stronger")),
        "alike": list(placed.alike),
        **(dict.fromkeys(("faults", "answers")) if count is None else asdict(count)),
    }


def pool_report(scale: Scale) -> Report:
    """Returns the report of the pool: the strength of each of its agents in each game."""
    records = []
    for name, game in scale.games.items():
        for role in (None, *(game.roles if len(game.roles) > 1 else ())):
            records += [
                {
                    "scale": scale.version,
                    "anchor": scale.anchor,
                    "game": name,
                    "role": role,
                    "agent": agent,
                    "plays": label,
                    "strength": game.strength(agent, role),
                    "matches": game.matches,
                }
                for agent, label in game.players.items()
            ]
    return Report(
        fields=POOL_FIELDS,
        records=records,
        body={"scale": _scale(scale), "strengths": records},
        tables=[listed(POOL, _pool_rows(scale))],
        notes=[
            f"Strength: on {scale.title}. {scale.matches:,} matches of the pool, seed {scale.seed}."
            " A percentage is the share of its own answers: the others are those of random."
        ],
        title=f"The reference pool of {scale.title}",
    )


def _pool_rows(scale: Scale) -> Iterator[tuple[str, str, float]]:
    for agent, strength in pool_over(scale, list(scale.games)):
        yield OVERALL, agent, strength
    for name, game in scale.games.items():
        for agent in sorted(game.players, key=game.strength, reverse=True):
            yield name, agent, game.strength(agent)
