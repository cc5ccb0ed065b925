"""Splits the unfinished matches of a save into shards, each a save of its own."""

import json
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import quote

from parlour.games.common.errors import BadInput, BadSave
from parlour.games.engine.dice import Dice
from parlour.games.engine.transcript import counted
from parlour.tournament.plan.schema import Limit
from parlour.tournament.save.bounds import LEAST_PACE
from parlour.tournament.save.dealt import dealt_file, note_dealt
from parlour.tournament.save.directory import ENDING
from parlour.tournament.save.growing.stages import stages_of
from parlour.tournament.save.lock import holder
from parlour.tournament.save.merging.copies import OPEN, Copies, SaveContribution
from parlour.tournament.save.merging.taking import fill, joined, opened
from parlour.tournament.save.new_file import new_file
from parlour.tournament.save.provenance.origins import was_adaptive
from parlour.tournament.save.queries import spent_by_agent
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions

ELSEWHERE = "choose another folder with --out"
_SPENT = (
    "SELECT agent, sum(dollars) FROM ("
    "SELECT agent, match, price AS dollars FROM calls"
    " UNION ALL SELECT agent, match, dollars FROM reservations"
    ") WHERE dollars IS NOT NULL AND match IN (SELECT value FROM json_each(?)) GROUP BY agent"
)


def split_save(path: Path, shards: int, folder: Path | None = None) -> list[Path]:
    """Deals the unfinished matches of a save into new saves, and returns their paths.

    The save stays as it is, and is not played while its shards are. The matches of each experiment
    are shuffled and dealt in turn, so that every shard has its share of each kind of match: the
    machines finish together, and each loads all endpoints alike. A match that was begun goes with
    its answers and calls. Money that is left, limits of endpoints and the pace are divided. Raises
    BadInput if the save is being played or adaptive or has too few matches; BadSave if a shard
    exists or cannot be written.
    """
    if holder(path) is not None:
        fix = f"stop it first: parlour stop {quote(str(path))}"
        raise BadInput(str(path), "is being played", fix)
    if shards < 2:
        raise BadInput("shards", f"cannot be {shards}", "give 2 or more")
    folder = folder or path.parent
    targets = [folder / f"{path.stem}-{n}-of-{shards}{ENDING}" for n in range(1, shards + 1)]
    there = [target for target in targets if target.exists()]
    if len(there) == shards:
        raise BadSave(str(there[0]), "already exists", ELSEWHERE)
    with ExitStack() as stack:
        # All of them get their names at the end, when each is complete.
        drafts = {
            target: stack.enter_context(new_file(target, ELSEWHERE, ELSEWHERE))
            for target in targets
            if target not in there
        }
        save = stack.enter_context(opened(path))
        hands = _dealt(save, shards)
        for number, (target, hand) in enumerate(zip(targets, hands, strict=True), start=1):
            draft = drafts.get(target)
            if draft is None:
                _refuse_other(target, save, hand)
                continue
            entries = range(len(save.tournament.games))
            contribution = SaveContribution(save, entries, chosen=frozenset(hand))
            stage: dict[str, object] = {
                "shard": number,
                "shards": shards,
                "joined": joined(contribution),
                "adaptive": was_adaptive(save),
            }
            options = partial(_options, save, hand, shards)
            fill(draft, save.tournament, [contribution], options, ("split", stage))
    try:
        note_dealt(path, targets)
    except OSError as error:
        place = str(dealt_file(path))
        fix = (
            "make its folder writable and split again, or the save's matches could be played twice"
        )
        raise BadSave(place, f"cannot be written ({error.strerror})", fix) from None
    return targets


_DEALT = (
    "SELECT entry, setting, agents, seed,"
    " (SELECT count(*) FROM stored_answers WHERE match = number)"
    " AS answers FROM matches WHERE number IN (SELECT value FROM json_each(?)) ORDER BY 1, 2, 3, 4"
)


def _refuse_other(target: Path, save: Save, hand: Sequence[int]) -> None:
    """BadSave for a file that is not the shard with these matches, before it is played.

    A split that was killed as it gave the shards their names can be repeated.
    """
    with Save(target) as made:
        own = json.dumps([match.number for match in made.matches()])
        is_shard = stages_of(made)[0].kind == "split"
        if not is_shard or made._select(_DEALT, own) != save._select(_DEALT, json.dumps(hand)):
            raise BadSave(str(target), "already exists", ELSEWHERE)


def _dealt(save: Save, shards: int) -> list[list[int]]:
    """The numbers of the unfinished matches of each shard.

    BadInput for a fork, for an adaptive save, and if there are too few.
    """
    if save.tournament.fork is not None:
        raise BadInput(str(save.path), "is a fork of one match", "run it as it is")
    if save.tournament.schedule == "adaptive":
        problem = "is adaptive: what is played next depends on all outcomes, not on a shard's"
        fix = f"play it whole: parlour run {quote(str(save.path))}"
        raise BadInput(str(save.path), problem, f"{fix}, on several machines with --ray")
    rows = save._select(
        "SELECT experiment, coalesce(place, number) AS place, number FROM stored_matches"
        f" WHERE number IN ({OPEN})"
    )
    by_experiment: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for experiment, place, number in rows:
        by_experiment[save._texts.text(experiment)].append((place, number))
    ordered: list[int] = []
    for experiment, matches in sorted(by_experiment.items()):
        # Shuffled: sides and seats change from match to match, as often as shards are dealt.
        dice = Dice(save.tournament.seed, "split", experiment)
        ordered += [number for _place, number in dice.shuffled(sorted(matches))]
    if len(ordered) < shards:
        left = counted(len(ordered), "unfinished match")
        fix = f"give {len(ordered)} at most" if len(ordered) > 1 else "there is nothing to split"
        raise BadInput(str(save.path), f"has {left}, too few for {shards} shards", fix)
    return [ordered[first::shards] for first in range(shards)]


def _options(save: Save, numbers: Sequence[int], shards: int, _copies: Copies) -> RunOptions:
    """The run options of a shard: its part of what is left, and what its matches have spent."""
    control, (spent, _last) = save.control(), spent_by_agent(save)
    taken = dict(save._select(_SPENT, json.dumps(list(numbers))))

    def part(budget: float, before: float, its: float) -> float:
        return max(0.0, budget - before) / shards + its

    budget = control.budget
    if budget is not None:
        budget = part(budget, sum(spent.values()), sum(taken.values()))
    return replace(
        control,
        pace=None if control.pace is None else max(LEAST_PACE, control.pace / shards),
        limits=tuple(_divided(limit, shards) for limit in control.limits),
        budget=budget,
        agent_budgets={
            name: part(dollars, spent.get(name, 0.0), taken.get(name, 0.0))
            for name, dollars in control.agent_budgets.items()
        },
    )


def _divided(limit: Limit, shards: int) -> Limit:
    """The limit of one shard: its part, at least 1."""
    keys = ("in_flight", "per_minute", "tokens_per_minute")
    limits = {key: getattr(limit, key) for key in keys}
    parts = {key: max(1, its // shards) for key, its in limits.items() if its is not None}
    return limit.model_copy(update=parts)
