"""Decisions of the adaptive schedule: stored with their matches, before these are played.

A decision follows from the tournament, its rule for the end and the outcomes of all matches before
it. It counts as evidence once all its matches are over, so that what takes long weighs no less
than what ends quickly. A decision of which a match is frozen counts for nothing.
"""

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import chain
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from parlour.games.common.errors import BadInput
from parlour.games.common.text import one_line
from parlour.games.engine.transcript import counted
from parlour.ratings.adaptive.standing import AdaptiveStanding, Allotment
from parlour.ratings.adaptive.until import Until, until_of
from parlour.ratings.reports.decided_ranks import DecidedRanks
from parlour.ratings.skill.paired_outcomes import score_of_bout
from parlour.tournament.plan.growth import Stage, first_stage, of_stage
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schedule import PlannedMatch, matches_of_bouts
from parlour.tournament.save.database import damaged
from parlour.tournament.save.growing.stages import StoredStage, stages_of
from parlour.tournament.save.reader import RANK, Save
from parlour.tournament.save.rows import RETIRED, StoredMatch

BEYOND = "another round would exceed the tournament's {}, after {} of them"
"""The stop of an adaptive tournament that has its most matches."""


class Decided(BaseModel, frozen=True, extra="forbid", strict=True):
    """The body of a decision: the bouts of one round by agents' places, and how many such rounds.

    ``until`` is the rule for the end by then, ``pairs`` the decided ones of all pairs of agents.
    ``stop`` is why no more matches are planned; then there are no bouts. ``stage`` is the number of
    the stage by then, from 1.
    """

    until: str = RANK
    pairs: tuple[int, int]
    rounds: int = Field(default=0, ge=0)
    bouts: tuple[tuple[int, int], ...] = ()
    stop: str | None = None
    stage: int = Field(default=1, ge=1)


@dataclass(frozen=True, slots=True)
class ScheduleDecision:
    """A row of ``decisions``, or one to be stored; one that stops has no matches."""

    seq: int
    first_match: int
    last_match: int
    body: Decided

    def row(self) -> tuple[object, ...]:
        """Returns the columns."""
        return self.seq, self.first_match, self.last_match, self.body.model_dump_json()


class Adaptive:
    """The course of an adaptive tournament, followed decision by decision.

    ``stages`` are those of the ``whole`` tournament; ``stage`` is the number of the one that the
    standing is of, from 1, and ``tournament`` is the tournament by then.
    """

    def __init__(self, tournament: Tournament, stages: Sequence[Stage]) -> None:
        self.whole = tournament
        self._by_stage = [of_stage(tournament, stage) for stage in stages]
        self.stage, self.tournament = 1, self._by_stage[0]
        self.standing = AdaptiveStanding([agent.name for agent in self.tournament.agents])
        self.last = ScheduleDecision(0, 1, 0, Decided(pairs=(0, 0)))
        """The last decision that counts as evidence, or that planned nothing."""
        self.is_waiting = False
        """True if matches of the decision after it are left to play."""
        self._retired: str | None = None

    @property
    def stop(self) -> str | None:
        """The sentence that says why the tournament has ended; None while it goes on."""
        return self.last.body.stop if self.last.body.stage == self.stage else None

    def go_on(self, stage: int | None = None) -> None:
        """Goes on to a stage, None for the newest one.

        Where agents or games join, a score is another quantity, so that evidence begins again.
        """
        for number in range(self.stage, stage or len(self._by_stage)):
            before, self.tournament = self.tournament, self._by_stage[number]
            self.stage = number + 1
            if (before.agents, before.games) != (self.tournament.agents, self.tournament.games):
                names = [agent.name for agent in self.tournament.agents]
                self.standing = AdaptiveStanding(names, self.standing.played)

    def in_newest_stage(self) -> "Adaptive":
        """The course of the newest stage, while this one may go on with decisions before it."""
        newest = copy(self)
        newest.go_on()
        return newest

    def follow(self, save: Save) -> None:
        """Takes the stored decisions after the last one, as far as their matches are over."""
        self.is_waiting = False
        for decision in decisions_of(save, self.last.seq):
            matches = save.matches_after(decision.first_match - 1, _size(decision))
            if any(match.outcome is None and match.frozen is None for match in matches):
                self.is_waiting = True
                return
            self.take(decision, matches, save.record)

    def take(
        self,
        decision: ScheduleDecision,
        matches: Sequence[StoredMatch],
        record: Callable[[StoredMatch], Any],
    ) -> None:
        """Counts a decision whose matches are over. Raises BadInput if they are not its own."""
        self.last = decision
        body = decision.body
        self.go_on(body.stage)
        reasons = [match.frozen for match in matches if match.frozen is not None]
        for reason in reasons:
            if reason.startswith(RETIRED):
                self._retired = reason.removeprefix(RETIRED)
        if not body.rounds or reasons:
            return
        scores, begin = [], 0
        bouts = list(body.bouts) * body.rounds
        planned = matches_of_bouts(
            self.tournament, decision.seq, body.bouts, body.rounds, decision.first_match
        )
        for (first, _), own in zip(bouts, planned, strict=True):
            played = matches[begin : begin + len(own)]
            if len(played) < len(own):
                fix = "restore a copy of the save"
                raise BadInput(f"decision {decision.seq}", "lacks matches", fix)
            begin += len(own)
            agent = self.tournament.agents[first].name
            scores.append(score_of_bout(map(record, played), agent))
        self.standing.add(Allotment(body.rounds, body.bouts), scores)

    def decide(
        self, rule: str | None, stage: int | None = None
    ) -> tuple[ScheduleDecision, list[PlannedMatch]]:
        """Returns the next decision under a rule for the end, with its matches; none if it stops.

        It is made in a stage, None for the newest one. Raises BadInput for a text that is no rule.
        """
        self.go_on(stage)
        until, text = until_of(rule), rule or RANK
        seq, first = self.last.seq + 1, self.last.last_match + 1
        pairs = self.standing.decided_pairs()
        body = Decided(until=text, pairs=pairs, stage=self.stage)
        stop = self._reached(until, first - 1) if first > 1 else None
        if stop is None:
            for rounds, bouts in _ever_shorter(self.standing.next(until)):
                planned = matches_of_bouts(self.tournament, seq, bouts, rounds, first)
                matches = list(chain.from_iterable(planned))
                last = first - 1 + len(matches)
                if last <= (self.tournament.most_matches or 0):
                    body = body.model_copy(update={"rounds": rounds, "bouts": bouts})
                    return ScheduleDecision(seq, first, last, body), matches
            most = counted(self.tournament.most_matches or 0, "match")
            stop = BEYOND.format(most, first - 1)
        return ScheduleDecision(seq, first, first - 1, body.model_copy(update={"stop": stop})), []

    def _reached(self, until: Until, played: int) -> str | None:
        """The sentence that says why the tournament ends; None if it goes on."""
        if self._retired is not None:  # scores are of rounds in which each two agents meet
            return f"{self._retired} retired after {counted(played, 'match')}"
        if not self.standing.is_reached(until):
            return None
        after = f"after {counted(played, 'match')}"
        if until.kind == "interval":
            return f"all intervals are narrower than {until.width:g} {after}"
        if until.ranks is None:
            return f"ranks decided {after}"
        first = "first rank" if until.ranks == 1 else f"first {until.ranks} ranks"
        return f"{first} decided {after}"


def _ever_shorter(allotment: Allotment) -> Iterator[tuple[int, tuple[tuple[int, int], ...]]]:
    """Yields rounds and bouts of an allotment, then fewer rounds, at last each pair once."""
    for rounds in range(allotment.rounds, 0, -1):
        yield rounds, allotment.bouts
    yield 1, tuple(dict.fromkeys(allotment.bouts))


def _size(decision: ScheduleDecision) -> int:
    return decision.last_match - decision.first_match + 1


def decisions_of(save: Save, after: int = 0) -> Iterator[ScheduleDecision]:
    """Yields the stored decisions after one. Raises BadSave for a damaged one."""
    # By the last number, since counting reads every row at every decision.
    stages, planned = stages_of(save), save.last_match()
    for seq, first, last, text in save._select(
        "SELECT seq, first_match, last_match, body FROM decisions WHERE seq > ? ORDER BY seq", after
    ):
        try:
            body = Decided.model_validate_json(text)
            until_of(body.until)
        except (ValidationError, BadInput):
            raise damaged(save.path, f"decision {seq}: is not one") from None
        if body.stage > len(stages):
            (newest,) = save._one("SELECT max(number) FROM stages")
            if body.stage <= newest:
                return  # it has grown since it was opened
            raise damaged(save.path, f"decision {seq}: is of a stage that there is not")
        agents = stages[body.stage - 1].stage.agents
        if any(not 0 <= one < other < agents for one, other in body.bouts):
            raise damaged(save.path, f"decision {seq}: has agents that there are not")
        if last > planned or body.rounds * len(body.bouts) > max(0, last - first + 1):
            raise damaged(save.path, f"decision {seq}: has matches that there are not")
        yield ScheduleDecision(seq, first, last, body)


def course_of(save: Save) -> Adaptive:
    """The course of a stored adaptive tournament before its first decision."""
    return Adaptive(save.tournament, [stored.stage for stored in stages_of(save)])


def followed(save: Save) -> Adaptive:
    """The course of a stored adaptive tournament so far, in its newest stage."""
    adaptive = course_of(save)
    adaptive.follow(save)
    return adaptive.in_newest_stage()


def decision_that_differs(save: Save) -> str | None:
    """Decides everything again; the first stored decision that does not follow, in words."""
    adaptive, stages = course_of(save), stages_of(save)
    last = 0
    for decision in decisions_of(save):
        follows = decision.seq == adaptive.last.seq + 1 and not adaptive.is_waiting
        if not follows:
            return f"decision {decision.seq}: was made before the matches ahead of it were over"
        if not _is_of_its_stage(decision, stages):
            return f"decision {decision.seq}: was not made in its stage"
        expected, planned = adaptive.decide(decision.body.until, decision.body.stage)
        if expected != decision:
            return f"decision {decision.seq}: does not follow from the matches before it"
        stored = save.matches_after(decision.first_match - 1, max(_size(decision), 0))
        if [match.planned for match in stored] != planned:
            return f"decision {decision.seq}: its matches differ from what it says"
        last = decision.last_match
        adaptive.is_waiting = any(m.outcome is None and m.frozen is None for m in stored)
        if not adaptive.is_waiting:
            adaptive.take(decision, stored, save.record)
    count = save.match_count().matches
    return None if count == last else f"match {last + 1}: no decision planned it"


def _is_of_its_stage(decision: ScheduleDecision, stages: Sequence[StoredStage]) -> bool:
    """True if its matches are after those of earlier stages and before those of later ones."""
    stage = decision.body.stage
    begins_after = stages[stage - 1].last_match if stage > 1 else 0
    is_before = stage == len(stages) or decision.last_match <= stages[stage].last_match
    return decision.first_match > begins_after and is_before


def first_decision(tournament: Tournament) -> tuple[object, ...]:
    """The row of the first decision of an adaptive tournament."""
    decision, _ = Adaptive(tournament, [first_stage(tournament)]).decide(None)
    return decision.row()


def ranks_of(adaptive: Adaptive) -> DecidedRanks:
    """The decided ranks of a course that was followed."""
    standing, stop = adaptive.standing, adaptive.stop
    words = one_line(stop) if stop else None
    return DecidedRanks(standing.places(), standing.decided_pairs(), words)
