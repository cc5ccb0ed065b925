"""Figures of a leaderboard, computed by pandas from exported tables and nothing else.

Written from docs/export.md and docs/measures.md; it imports nothing of the program.
"""

import json
from collections.abc import Callable, Iterator
from itertools import product
from math import pi, sin
from pathlib import Path
from typing import Any

import pandas as pd

from parlour.games.engine.registry import find_game

NESTED = {"matches": ["setting_fields", "facts"], "answers": ["value", "notes"]}
Figures = dict[tuple[str | None, str | None, str, str], float]
"""Values by game, role (None: all), agent and measure."""


def _lines(path: Path) -> pd.DataFrame:
    return pd.DataFrame(map(json.loads, path.read_text(encoding="utf-8").splitlines()))


def _csv(path: Path) -> pd.DataFrame:
    """Names as they are: without the apostrophe that keeps a spreadsheet from running one."""
    table = pd.read_csv(path, dtype={"setting": str})
    if "agent" in table:
        table["agent"] = table.agent.str.replace(r"^'(?=[=+@\t-])", "", regex=True)
    return table


READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    "csv": _csv,
    "jsonl": _lines,
    "parquet": pd.read_parquet,
}


class Tables:
    """The tables of a folder: finished matches, their counted seats, and all of their answers."""

    def __init__(self, folder: Path, form: str) -> None:
        read = {name: READERS[form](folder / f"{name}.{form}") for name in NESTED | {"seats": []}}
        if form != "jsonl":
            for name, columns in NESTED.items():
                for column in columns:
                    texts = read[name][column]
                    read[name][column] = texts.map(json.loads, na_action="ignore")
        matches = read["matches"]
        self.matches = matches[matches.ending.notna() & matches.frozen.isna()]
        game = self.matches[["match", "game", "ending", "got_away", "welfare", "facts"]]
        self.all_seats = read["seats"].merge(game, on="match")
        self.seats = self.all_seats[self.all_seats.counted.astype(bool)]
        # Answers have these themselves.
        own = self.all_seats.drop(columns=["agent", "tier", "mode", "special_seat"])
        answers = read["answers"].merge(own, on=["match", "seat"])
        answers["right"] = answers.fault.isna()
        self.every_answer = answers
        self.answers = answers[answers.counted.astype(bool)]

    def of_kind(self, *kinds: str) -> pd.DataFrame:
        return self.answers[self.answers.kind.isin(kinds)].copy()

    def faultless(self, *kinds: str) -> pd.DataFrame:
        """Answers of these kinds that are no faults."""
        answers = self.of_kind(*kinds)
        return answers[answers.right]


def _field(frame: pd.DataFrame, name: str) -> pd.Series:
    return frame.value.map(lambda value: value[name])


def counts(tables: Tables) -> Iterator[tuple[str, pd.DataFrame]]:
    """Every plain count: its measure, and rows of game, role, agent, k and n."""
    where = ["game", "role", "agent"]

    def rows(frame: pd.DataFrame, k: Any, n: Any = 1) -> pd.DataFrame:
        return frame[where].assign(k=pd.Series(k, index=frame.index).astype(float), n=n)

    votes = tables.of_kind("vote")
    votes = votes[votes.special_seat.notna()]
    votes["hit"] = _field(votes, "suspect") == votes.special_seat
    ordinary = votes[votes.special == False]  # noqa: E712 - may be missing
    yield "judgment", rows(ordinary, ordinary.hit)
    yield "reasoning", _deductions(tables)
    asked = tables.of_kind("own_role")
    truth = asked.special.map({True: "special", False: "ordinary"})
    asked["hit"] = _field(asked, "role") == truth
    yield "own_role", rows(asked, asked.hit)

    # Several seats of one role in a match share its result: it counts once.
    numbers = tables.seats.assign(
        **{name: tables.seats[name].astype(float) for name in ("won", "got_away", "welfare")},
        is_special=tables.seats.special == True,  # noqa: E712
    )
    held = numbers.groupby([*where, "match", "is_special"], as_index=False)[
        ["payoff", "most_credits", "won", "got_away", "welfare"]
    ].mean()
    credits = held[held.most_credits.notna()]
    yield "win_rate", rows(credits, credits.payoff, credits.most_credits)
    wins = held[held.most_credits.isna() & held.won.notna()]
    yield "win_rate", rows(wins, wins.won)
    yield "payoff", rows(held, held.payoff)
    yield "welfare", rows(held, held.welfare)
    special = held[held.is_special]
    yield "deceived", rows(special, special.got_away)
    caught = tables.every_answer[tables.every_answer.kind == "guess"].match
    guessed = held[~held.is_special & held.match.isin(caught)]
    yield "fooled", rows(guessed, 1 - guessed.got_away)

    alone = tables.seats.drop_duplicates(["match", "agent"])
    airlines = alone[alone.game == "cost_sharing"]
    agreed = airlines.ending == "agreed"
    yield "cooperation", rows(airlines, agreed)
    proposals = tables.faultless("propose")
    last = proposals[
        (proposals.ending == "agreed") & (proposals["round"] == _fact(proposals, "rounds"))
    ]
    by_agent = last.assign(
        own=[seat in facts["authors"] for seat, facts in zip(last.seat, last.facts, strict=True)]
    )
    by_agent = by_agent.groupby([*where, "match"], as_index=False).own.any()
    yield "coordination_agreed", rows(by_agent, by_agent.own)
    # A match that is not agreed on counts too, one whose last proposal was a fault does not.
    failed = airlines[airlines.ending != "agreed"].assign(own=False)
    of_all = pd.concat([by_agent, failed], ignore_index=True)
    yield "coordination", rows(of_all, of_all.own)
    in_agreement = tables.seats[
        (tables.seats.game == "cost_sharing") & (tables.seats.ending == "agreed")
    ]
    paid = in_agreement.assign(
        share=[
            facts["shares"][seat]
            for seat, facts in zip(in_agreement.seat, in_agreement.facts, strict=True)
        ]
    )
    paid = paid.groupby([*where, "match"], as_index=False).share.mean()
    yield "cost", rows(paid, paid.share)

    choices = tables.faultless("choose")
    choices = choices[choices.game == "prisoners_dilemma"]
    yield "rationality", rows(choices, _field(choices, "action") == "defect")
    yield "cooperation_ratio", rows(choices, _field(choices, "action") == "cooperate")
    gifts = tables.every_answer[tables.every_answer.kind == "contribute"].copy()
    gifts["amount"] = _field(gifts, "amount")
    gifts["least"] = gifts.amount == gifts.groupby(["match", "round"]).amount.transform("min")
    gifts = gifts[gifts.right & gifts.counted.astype(bool)]
    yield "rationality", rows(gifts, gifts.least)
    keys = find_game("public_good", "").variant().model_dump()
    enough = 2 * gifts.amount * keys["rounds"] >= keys["endowment"]
    yield "cooperation_ratio", rows(gifts, enough)
    prisoners = tables.seats[tables.seats.game == "prisoners_dilemma"]
    yield "score", rows(prisoners, prisoners.payoff)
    pools = tables.seats[tables.seats.game == "public_good"]
    given = [f["contributed"][seat] for seat, f in zip(pools.seat, pools.facts, strict=True)]
    yield "contribution", rows(pools, given)
    yield "payback", rows(pools, _fact(pools, "share"))

    every = tables.answers
    yield "fault_rate", rows(every, ~every.right)
    yield from _help(tables, rows)
    yield from _impostor(tables, votes, rows)


def _fact(frame: pd.DataFrame, name: str) -> pd.Series:
    return frame.facts.map(lambda facts: facts.get(name))


def _deductions(tables: Tables) -> pd.DataFrame:
    """Own views against the truth, views of others against what these named at that moment."""
    asked = tables.every_answer[tables.every_answer.kind == "beliefs"]
    views = asked[["match", "ask", "seat"]].assign(belief=_field(asked, "beliefs"))
    views = views.explode("belief").dropna()
    views["viewer"] = views.belief.map(lambda belief: belief["viewer"])
    views["suspect"] = views.belief.map(lambda belief: belief["suspect"]).fillna(-1)
    views = views.drop(columns="belief")
    own = views[views.viewer == views.seat][["match", "ask", "viewer", "suspect"]]
    others = asked[["match", "ask", "seat", "right", "special", "told_role"]]
    pairs = asked[asked.counted.astype(bool)].merge(
        others.rename(columns={"seat": "viewer"}), on=["match", "ask"], suffixes=("", "_other")
    )
    knows = pairs.special_other.astype(bool) & pairs.told_role_other.astype(bool)
    about_self = pairs.viewer == pairs.seat
    pairs = pairs[~knows & (about_self | pairs.right_other)]
    pairs = pairs.merge(views, on=["match", "ask", "seat", "viewer"], how="left")
    pairs = pairs.merge(own, on=["match", "ask", "viewer"], how="left", suffixes=("", "_own"))
    pairs["about_self"] = pairs.viewer == pairs.seat
    truth = pairs.suspect_own.where(~pairs.about_self, pairs.special_seat)
    pairs["hit"] = pairs.right & (pairs.suspect == truth)
    # One point for the own view, one if all views of others are right.
    points = pairs.groupby(
        ["game", "role", "agent", "match", "ask", "seat", "about_self"], as_index=False
    ).hit.all()
    words = tables.of_kind("supposed_word")
    secret = _fact(words, "secret_word").map(_bare)
    words["hit"] = words.right & (_field(words, "word").map(_bare) == secret)
    points = pd.concat([points, words], ignore_index=True)
    return points[["game", "role", "agent"]].assign(k=points.hit.astype(float), n=1)


def _bare(word: object) -> str:
    """A word's letters and digits in one case; of a missing one, which pandas has as NaN, none."""
    return "".join(c for c in word.casefold() if c.isalnum()) if isinstance(word, str) else ""


def _help(tables: Tables, rows: Callable[..., pd.DataFrame]) -> Iterator[tuple[str, pd.DataFrame]]:
    """Decisions in the games of help, read from who met whom."""
    faults = tables.every_answer[~tables.every_answer.right]
    faulty = {*zip(faults.match, faults.kind, faults["round"], faults.seat, strict=True)}
    deeds = []
    for match, facts in zip(tables.matches.match, tables.matches.facts, strict=True):
        for step, met in enumerate(facts.get("encounters", ()), start=1):
            for seat, kind, share in _deeds(met):
                if share is not None and (match, kind, step, seat) not in faulty:
                    deeds.append((match, seat, kind, share))
    frame = pd.DataFrame(deeds, columns=["match", "seat", "kind", "share"])
    frame = frame.merge(tables.seats, on=["match", "seat"])
    helped = 2 * frame.share >= 1
    yield "cooperation_ratio", rows(frame, helped)
    for measure, kind in (("investment_ratio", "invest"), ("return_ratio", "return")):
        of_kind = frame[frame.kind == kind]
        yield measure, rows(of_kind, of_kind.share)
    players = tables.seats[tables.seats.game.isin(["donation", "reciprocity", "investment"])]
    score = frame.assign(image=helped * 2 - 1).groupby(["match", "seat"]).image.sum()
    of_seat = players.merge(score.reset_index(), on=["match", "seat"], how="left").fillna(
        {"image": 0}
    )
    yield "image_score", rows(of_seat, of_seat.image)
    yield "discounted_return", rows(players, players.payoff)
    everybody = tables.all_seats[tables.all_seats.agent != "(built in)"]
    inequality = everybody.groupby("match").payoff.agg(_gini).rename("gini").reset_index()
    in_rounds = tables.seats[tables.seats.game.isin(["prisoners_dilemma", "public_good"])]
    players = pd.concat([players, in_rounds], ignore_index=True)
    of_agent = players.drop_duplicates(["match", "agent"]).merge(inequality, on="match")
    of_agent = of_agent[of_agent.gini.notna()]
    yield "gini", rows(of_agent, of_agent.gini)


def _deeds(met: dict[str, Any]) -> list[tuple[int, str, float | None]]:
    """Actions of an encounter: seat, kind, and share given (None if there was nothing)."""
    if "donor" in met:
        return [(met["donor"], "donate", met["action"] == "cooperate")]
    if "players" in met:
        both = zip(met["players"], met["actions"], strict=True)
        return [(seat, "choose", action == "cooperate") for seat, action in both]
    sums = [
        (met["investor"], "invest", met["investment"], met["investor_resources"]),
        (met["responder"], "return", met["returned"], met["received"]),
    ]
    return [(seat, kind, given / most if most else None) for seat, kind, given, most in sums]


def _gini(returns: pd.Series) -> float | None:
    values = [*returns]
    if len({*values}) == 1:
        return 0.0
    if sum(values) <= 0:
        return None
    spread = sum(abs(a - b) for a, b in product(values, values))
    return spread / (2 * len(values) * sum(values))


def _impostor(
    tables: Tables, votes: pd.DataFrame, rows: Callable[..., pd.DataFrame]
) -> Iterator[tuple[str, pd.DataFrame]]:
    seats = tables.seats[tables.seats.game == "impostor"].drop_duplicates(
        ["match", "agent", "role"]
    )
    for measure, role in (("impostor_win", "impostor"), ("majority_win", "majority")):
        of_role = seats[seats.role == role]
        yield measure, rows(of_role, of_role.won)
    votes = votes[votes.game == "impostor"]
    majority = votes[votes.role == "majority"]
    yield "detection_accuracy", rows(majority, majority.hit)
    own = votes[votes.role == "impostor"]
    declared = _field(own, "self_declaration").astype(bool)
    yield "self_declaration", rows(own, declared)
    yield "guess_success", rows(own[declared], own[declared].ending == "impostor_guessed")


CAPABILITIES = ("judgment", "reasoning", "deception", "self_awareness")
CAPABILITIES += ("cooperation", "coordination", "rationality")
STRICT = ("judgment", "reasoning", "own_role", "deceived", "fooled")
"""Measures that over all games count the five games of the strict profile alone."""


def figures(tables: Tables) -> Figures:
    """Every figure: by game; over all games; win rates by role too."""
    computed: Figures = {}
    frames = [frame.assign(measure=measure) for measure, frame in counts(tables)]
    everything = pd.concat(frames, ignore_index=True)
    strict = everything[~(everything.measure.isin(STRICT) & (everything.game == "impostor"))]

    def rates(by: list[str], of: pd.DataFrame = everything) -> Any:
        sums = of.groupby(["measure", *by])[["k", "n"]].sum()
        return (sums.k / sums.n).to_dict()

    by_role = rates(["game", "role", "agent"])
    for (measure, game, role, agent), value in by_role.items():
        if measure == "win_rate":
            computed[game, role, agent, measure] = value
    for (measure, game, agent), value in rates(["game", "agent"]).items():
        if measure != "win_rate":
            computed[game, None, agent, measure] = value
    for (measure, agent), value in rates(["agent"], strict).items():
        if measure != "win_rate":
            computed[None, None, agent, measure] = value
    roles = [(key, value) for key, value in computed.items() if key[3] == "win_rate"]
    for game in {None, *everything.game}:
        for agent in {*everything.agent}:
            own = [v for (g, _, a, _), v in roles if a == agent and game in {None, g}]
            if own:
                computed[game, None, agent, "win_rate"] = sum(own) / len(own)
            _put_together(computed, game, agent)
    return computed


def _put_together(computed: Figures, game: str | None, agent: str) -> None:
    """The measures that are made of several rates."""

    def rate(measure: str, game: str | None = game) -> float | None:
        return computed.get((game, None, agent, measure))

    deceived, fooled = rate("deceived"), rate("fooled")
    if deceived is not None:
        computed[game, None, agent, "deception"] = deceived
        computed[game, None, agent, "deception_raw"] = deceived + 0.25 * (fooled or 0)
    if game is not None:
        if (own := rate("own_role")) is not None:
            computed[game, None, agent, "self_awareness"] = own
        return
    parts = [(0.6, rate("own_role", "chameleon")), (0.4, rate("own_role", "undercover"))]
    given = [(weight, value) for weight, value in parts if value is not None]
    if given:
        total = sum(weight for weight, _ in given)
        computed[None, None, agent, "self_awareness"] = sum(w * v for w, v in given) / total
    seven = [rate(capability) for capability in CAPABILITIES]
    if None not in seven:
        products = [a * b for a, b in zip(seven, [*seven[1:], seven[0]], strict=True)]  # type: ignore[operator]
        computed[None, None, agent, "radar_area"] = 0.5 * sin(2 * pi / 7) * sum(products)
