"""The first line of a page, the sentence after it, and how sure they are, by fixed rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from shlex import quote
from typing import NamedTuple

from markupsafe import Markup, escape

from parlour.games.engine.transcript import counted
from parlour.ratings.reports.decided_ranks import DecidedRanks
from parlour.ratings.reports.leaderboard import Standing
from parlour.site.source import SiteSource
from parlour.tui.look.cast import ShownIdentity

STOPPED = {
    "budget": "the budget is used up",
    "failures": "only permanent errors remained",
    "time": "its time was over",
    "disk": "the save could not be written",
    "error": "the program failed",
    "killed": "its process was killed",
    "stopped": "a command or a signal stopped it",
}
"""The reason of each end of a run before the end of its tournament."""
NUMBERS = tuple(
    "no one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
)
MOST_SETS = 3
"""Rank sets that are all named; of more, only the first and the last are."""


@dataclass(frozen=True, slots=True)
class PageFinding:
    """The first line of a page, and the sentences after it."""

    line: Markup
    lead: Markup


class RankPlace(NamedTuple):
    """An agent with its possible ranks."""

    agent: str
    rank: int
    last_rank: int

    @property
    def words(self) -> str:
        """The ranks as they are written."""
        return f"{self.rank}" if self.rank == self.last_rank else f"{self.rank}–{self.last_rank}"


def in_words(count: int) -> str:
    """A count as a word up to twelve."""
    return NUMBERS[count] if 0 < count < len(NUMBERS) else f"{count:,}"


def coloured(who: ShownIdentity) -> Markup:
    """A name in its colour."""
    return Markup('<span class="who {}">{}</span>').format(who.colour, who.name)


def listed(names: Sequence[Markup | str]) -> Markup:
    """Names as "a, b and c"."""
    *most, last = map(escape, names)
    return Markup(", ").join(most) + Markup(" and ") + last if most else last


def places_of(standings: Sequence[Standing], decided: DecidedRanks | None) -> list[RankPlace]:
    """The ranked agents, best first: by decided ranks of an adaptive tournament, else strength."""
    if decided is not None:
        return [RankPlace(each.agent, each.rank, each.last_rank) for each in decided.places]
    ranked = [(each.agent, each.strength) for each in standings if each.strength]
    return [RankPlace(agent, each.rank, each.last_rank) for agent, each in ranked]


def rank_sets(places: Sequence[RankPlace]) -> list[list[RankPlace]] | None:
    """The groups of agents with the same possible ranks; None where these overlap in a chain."""
    sets = [list(group) for _, group in groupby(places, key=itemgetter(1, 2))]
    apart = all(one[0].last_rank < two[0].rank for one, two in pairwise(sets))
    return sets if apart else None


def finding(
    source: SiteSource, standings: Sequence[Standing], decided: DecidedRanks | None
) -> PageFinding:
    """The leaders, and how sure that is; of a rating, whose newcomers alone met the others."""
    cast, over, newcomers = source.cast, source.count.done, source.board.newcomers
    ranked = places_of(standings, decided)
    agents = [each.agent for each in standings] + [each.agent for each in ranked]
    names = {agent: coloured(cast[agent]) for agent in agents}
    if not standings:
        return PageFinding(Markup("No match is over yet."), Markup("The table fills as they end."))
    if newcomers:
        line = Markup("{} played the reference pool.").format(
            listed([coloured(cast[each]) for each in newcomers])
        )
        words = "The pool did not play itself here: a rating compares on the fixed scale alone."
        return PageFinding(line, Markup(words))
    if len(standings) == 1:
        line = Markup("{} played alone, so there is nobody to rank it against.")
        return PageFinding(line.format(names[standings[0].agent]), Markup(""))
    if not ranked:
        words = "Agents do not meet in a match that has winners; the table shows what is counted."
        return PageFinding(Markup("Nothing ranks these agents."), Markup(words))
    apart, pairs = sum(each.rank - 1 for each in ranked), len(ranked) * (len(ranked) - 1) // 2
    leaders = [names[each.agent] for each in ranked if each.rank == 1]
    yet, verb = "" if over else " yet", "told apart" if decided is None else "decided"
    if len(ranked) == 2:
        one, two = (names[each.agent] for each in ranked)
        words = "{} beats {}." if apart else f"{{}} and {{}} cannot be {verb}{yet}."
        return PageFinding(Markup(words).format(one, two), Markup(""))
    if not apart:
        line = Markup(f"Nobody leads{yet}: no pair is {verb}.")
        widths = [each.strength.half for each in standings if each.strength and each.strength.half]
        words = f"All ranks are 1–{len(ranked)}."
        if widths and decided is None:
            words += f" Of the lines, the shortest is still {2 * min(widths):.1f} long."
        return PageFinding(line, Markup(words))
    if len(leaders) == 1:
        line = leaders[0] + Markup(" leads" if decided is None else " leads, and that is decided")
        line += Markup(".")
    elif len(leaders) <= 3:
        line = listed(leaders) + Markup(f" lead, and cannot be {verb}.")
    else:
        line = Markup(f"Nobody leads: {in_words(len(leaders))} agents cannot be {verb}.")
    lead = _behind(rank_sets(ranked), names)
    rest = pairs - apart
    not_so = f" and {rest} {_are(rest)} not" if rest else ""
    words = f"<b>Of {counted(pairs, 'pair')}, {apart} {_are(apart)} {verb}{not_so}.</b>"
    return PageFinding(line, lead + Markup(words))


def stop(source: SiteSource) -> tuple[str, str, str] | None:
    """Why a tournament stands still: a line, what holds nevertheless, and the command to go on.

    None for one that is finished or is played.
    """
    status, count = source.status, source.count
    if status.state not in ("unfinished", "hung"):
        return None
    because = STOPPED.get(status.run.stopped_because or "", "")
    command = f"parlour run {quote(source.path.name)}"
    if status.state == "hung":
        because = "its process gives no sign of life"
    elif because == STOPPED["budget"] and source.options.budget is not None:
        because = f"the budget of ${source.options.budget:,.2f} is used up"
        command += " --budget MORE"
    over = f"Stopped at {source.board.matches:,} of {count.matches:,} matches"
    line = f"{over}: {because}." if because else f"{over}."
    lead = "The standings are of what was played. Every answer is stored."
    if not source.board.matches:
        line, lead = "No match is over yet.", "The table below fills as they end."
    return line, lead, command


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _names(group: Sequence[RankPlace], names: Mapping[str, Markup]) -> Markup:
    return listed([names[each.agent] for each in group])


def _behind(sets: list[list[RankPlace]] | None, names: Mapping[str, Markup]) -> Markup:
    if sets is None or len(sets) < 2:
        return Markup("")
    groups = [_names(group, names) for group in sets[1:]]
    if len(groups) >= MOST_SETS:
        words = Markup("Behind come {} groups, first {}, last {}")
        words = words.format(in_words(len(groups)), groups[0], groups[-1])
    else:
        come = "comes" if len(sets[1]) == 1 else "come"
        words = Markup(f"Behind {come} ") + Markup(", then ").join(groups)
    if max(map(len, sets)) == 1:
        return words + Markup(". ")
    return words + Markup("; inside each group the order may be chance. ")
