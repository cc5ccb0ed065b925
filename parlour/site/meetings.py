"""The page of meetings: who beats, accuses and helps whom."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

from markupsafe import Markup

from parlour.games.common.forms import NOTHING, percent
from parlour.ratings.counting.ties import Network
from parlour.ratings.reports.leaderboard import Meeting
from parlour.ratings.reports.matrix import Matrix, matrix
from parlour.site.agents import Agents
from parlour.site.figures import bounds
from parlour.site.findings import coloured, in_words, listed
from parlour.site.forests import head_to_head
from parlour.site.frame import PageFrame, render
from parlour.site.standings import family_choices
from parlour.site.ties import WORDS, members, network_table, ring_of
from parlour.site.views import ON_PAGE, StandingsView, Views
from parlour.tui.look.cast import ShownIdentity
from parlour.tui.look.palette import DAY

MOST_NUMBERED = 16
"""Agents up to which the page has tables of intervals; the files of data have them of all."""
SIDED = 4
"""The most one-sided accusations that are named."""


@dataclass(frozen=True, slots=True)
class Square:
    """A cell of a matrix; an empty ``text`` is an agent beside itself."""

    text: str = ""
    style: str = ""
    small: str = ""
    label: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class Rows:
    """A matrix: its columns, and its rows with a cell each and the mean at the right."""

    columns: Sequence[ShownIdentity]
    rows: Sequence[tuple[ShownIdentity, Sequence[Square], str]]


def meetings_address(family: str) -> str:
    """The address of the meetings in the games of a family, or in all."""
    return f"meetings/by/{family}/" if family else "meetings/"


def meetings_page(views: Views, agents: Agents, frame: PageFrame, family: str) -> bytes:
    """The page of the meetings in the games of a family, or in all."""
    source = views.source
    met = matrix(views.board(StandingsView(family)), None)
    whole = len(met.agents)
    met = replace(met, agents=met.agents[:ON_PAGE])
    ties = [] if family else [
        _ties(agents, kind, source.networks[kind]) for kind in WORDS if source.networks[kind].ties
    ]  # fmt: skip
    pairs = source.networks["accused"].one_sided(SIDED) if not family else []
    cast = source.cast
    return render(
        "meetings.html.j2",
        frame,
        meetings_address(family),
        "meetings",
        "Meetings",
        line=_line(met, agents),
        filters={"families": family_choices(views, family, meetings_address), "menus": []},
        met=_meeting_rows(met, agents) if len(met.agents) > 2 else None,
        pairs=_cards(met, agents),
        sided=[
            (cast[tie.agent], cast[tie.other], percent(tie.share), percent(back.share))
            for tie, back in pairs
        ],
        ties=ties,
        figures=[] if family or whole > MOST_NUMBERED else head_to_head(source),
        left_out=whole - len(met.agents),
    )


def _line(met: Matrix, agents: Agents) -> Markup:
    """The agents that beat all others whom they are told apart from, or what there is."""
    cast = agents.source.cast
    if not met.agents:
        return Markup("Nobody met another agent in a match that has winners.")
    if len(met.agents) == 2:
        one, two = met.agents
        meeting = met.meetings[one, two]
        sure = _sure(meeting)
        words = "{} beats {}." if sure else "{} and {} cannot be told apart."
        return Markup(words).format(coloured(cast[one]), coloured(cast[two]))
    mean = {agent: _mean(met.of(agent)) for agent in met.agents}
    most = max(mean.values())
    top = [agent for agent in met.agents if mean[agent] >= most - 0.05]
    rest = [agent for agent in met.agents if agent not in top]
    pairs_of = product(top, rest)
    beaten = [met.meetings[pair] for pair in pairs_of if pair in met.meetings]
    clear = all(_sure(each) and each.share > 0.5 for each in beaten)
    if rest and beaten and len(top) <= 3 and clear:
        times = in_words(max(1, int(10 * min(each.share for each in beaten))))
        verb = "beats" if len(top) == 1 else "beat"
        words = listed([coloured(cast[agent]) for agent in top])
        return words + Markup(f" {verb} everybody else at least {times} times in ten.")
    apart = sum(_sure(each) for each in met.all()) // 2
    pairs = len(met.all()) // 2
    if not apart and not any(each.trials is not None for each in met.all()):
        words = Markup(" won {} of their meetings, the most; there are too few for intervals.")
        return listed([coloured(cast[agent]) for agent in top]) + words.format(percent(most))
    if not apart:
        return Markup("No pair that met is told apart.")
    return Markup(f"Of {pairs:,} pairs that met, {apart:,} have one who wins more than half.")


def _mean(several: Sequence[Meeting]) -> float:
    return sum(each.share for each in several) / max(1, len(several))


def _sure(meeting: Meeting) -> bool:
    low, high = meeting.ends
    return low is not None and high is not None and not low <= 0.5 <= high


def _meeting_rows(met: Matrix, agents: Agents) -> Rows:
    cast = agents.source.cast

    def square(agent: str, other: str) -> Square:
        meeting = met.meetings.get((agent, other))
        if meeting is None:
            return Square() if agent == other else Square(NOTHING, "none")
        strong = " strong" if _sure(meeting) else ""
        step = DAY.strength.step(meeting.share)
        return Square(
            f"{100 * meeting.share:.0f}",
            f"d{step}{strong}",
            f"{meeting.wins}–{meeting.draws}–{meeting.losses}",
            _label(meeting, agents),
            agents.link_of(agent, other),
        )

    rows = []
    for agent in met.agents:
        squares = [square(agent, other) for other in met.agents]
        rows.append((cast[agent], squares, percent(_mean(met.of(agent)))))
    return Rows([cast[agent] for agent in met.agents], rows)


def _label(meeting: Meeting, agents: Agents) -> str:
    cast = agents.source.cast
    low, high = meeting.ends
    ends = "too few for an interval"
    if low is not None and high is not None:
        ends = f"{100 * low:.0f} to {100 * high:.0f} %"
    return (
        f"{cast[meeting.agent].name} against {cast[meeting.other].name}: {percent(meeting.share)},"
        f" {ends}; {meeting.wins} won, {meeting.draws} drawn, {meeting.losses} lost, of {meeting.n}"
    )


def _cards(met: Matrix, agents: Agents) -> list[tuple[str, str]]:
    """The words and the link of the pair in focus: the closest one of the first agent."""
    if not met.agents:
        return []
    several = met.of(met.agents[0])
    closest = min(several, key=lambda each: abs(each.share - 0.5), default=None)
    if closest is None:
        return []
    return [(_label(closest, agents), agents.link_of(closest.agent, closest.other))]


def _ties(agents: Agents, kind: str, network: Network) -> dict[str, object]:
    """The ties of a kind: the matrix, the ring with its note, and the table of numbers."""
    source = agents.source
    title, note, _verb = WORDS[kind]
    everybody = members(source, network)
    shown = everybody[:ON_PAGE]

    def square(agent: str, other: str) -> Square:
        tie = network.ties.get((agent, other))
        if tie is None:
            return Square() if agent == other else Square(NOTHING, "none")
        _, low, high = tie.interval
        label = f"{tie.times:,} of {tie.chances:,}, 95 % interval {bounds(low, high)}"
        if not tie.sound:
            return Square(f"{100 * tie.share:.0f}", "few", label=label)
        strong = " strong" if tie.share > 0.5 else ""
        step = DAY.heat.step(tie.share)
        return Square(f"{100 * tie.share:.0f}", f"h{step}{strong}", label=label)

    cast = source.cast
    rows = [(cast[one], [*map(partial(square, one), shown)], "") for one in shown]
    ring, ring_note = ring_of(source, kind, network) or (None, "")
    return {
        "id": kind,
        "title": title,
        "note": note,
        "matrix": Rows([cast[agent] for agent in shown], rows),
        "ring": ring,
        "ring_note": ring_note,
        "table": network_table(source, network) if len(everybody) <= MOST_NUMBERED else None,
    }
