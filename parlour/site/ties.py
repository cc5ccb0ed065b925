"""Figures of what agents do to each other: networks, cooperation, and the tones of gossip."""

from itertools import chain, product

from parlour.games.common.forms import percent
from parlour.games.engine.board import Arrow
from parlour.games.engine.moves import Seat
from parlour.games.families.gossip_games import NEGATIVE, TONES
from parlour.ratings.counting.ties import Network, Tie
from parlour.ratings.measures.measures import Row
from parlour.site.boards import heat_class
from parlour.site.charts import RING, SHARES, CourseLine, ShareSlice, ring, stack_cell
from parlour.site.charts import lines as lines_chart
from parlour.site.figures import (
    Chart,
    Entry,
    Figure,
    PageCell,
    PageTable,
    bounds,
    by_agent,
    count,
    entries,
    lines,
)
from parlour.site.source import SiteSource

STRONGEST = 14
"""The most arrows of a ring: more hide each other."""
FULL = 0.95
"""The share from which on a tie counts as full."""
SIZE = (560.0, 240.0)
"""The size of the chart of cooperation."""
MOST_PEOPLE = 14
"""Agents up to which a ring is drawn; the table has all."""

WORDS = {
    "accused": (
        "Who accuses whom",
        "Share of the row's votes that named the agent of the column, of its votes where both sat.",
        "accuses",
    ),
    "helped": (
        "Who helps whom",
        "Share of the meetings in which the agent of the row helped that of the column.",
        "helps",
    ),
    "gossip": (
        "Who speaks ill of whom",
        "Share of bad words among the messages of the row's agent about that of the column.",
        "speaks ill of",
    ),
}


def network_table(source: SiteSource, network: Network) -> PageTable:
    """The shares of all ties with their intervals and counts, and what each agent gets."""
    cast, agents = source.cast, members(source, network)
    heads: dict[str, Entry] = {agent: PageCell(person=cast[agent]) for agent in agents}
    table = by_agent(
        cast, agents, heads, lambda one, other: _cell(network.ties.get((one, other)), one == other)
    )
    received = [network.received(agent) for agent in agents]
    everybody: list[Entry] = ["by all others", *(_cell(tie, False) for tie in received)]
    return PageTable(table.titles, [*table.rows, everybody])


def members(source: SiteSource, network: Network) -> list[str]:
    """The agents with any tie, in the order of the leaderboard."""
    present = set(chain.from_iterable(network.ties))
    return [agent for agent in source.agents if agent in present]


def ring_of(source: SiteSource, kind: str, network: Network) -> tuple[Chart, str] | None:
    """The ring of the strongest ties, or of the weakest where nearly all are full; and its note.

    None for so many agents that the table alone shows them.
    """
    agents, verb = members(source, network), WORDS[kind][2]
    if len(agents) > MOST_PEOPLE or len(agents) < 2:
        return None
    sound = [tie for tie in network.ties.values() if tie.sound]
    full = len(sound) > STRONGEST and sum(tie.share >= FULL for tie in sound) > len(sound) / 2
    if full and kind == "helped":
        ties = sorted(sound, key=lambda tie: (tie.share, -tie.chances, tie.agent, tie.other))
        ties = [tie for tie in ties if tie.share < FULL][:STRONGEST]
        note = f"Nearly everybody helps, so the ring shows the {len(ties)} weakest ties: dashed."
    else:
        full, ties = False, network.strongest(STRONGEST)
        note = (
            f"The {len(ties)} strongest ties, in the colour of who {verb}; thicker is more often."
        )
    index, cast = {agent: place for place, agent in enumerate(agents)}, source.cast
    arrows = [
        Arrow(
            Seat(index[tie.agent]),
            Seat(index[tie.other]),
            good=False if full else None,
            share=1 - tie.share if full else tie.share,
        )
        for tie in reversed(ties)
    ]
    drawn, height = ring([cast[agent] for agent in agents], arrows)
    words = "; ".join(f"{cast[tie.agent].name} {verb} {cast[tie.other].name} {percent(tie.share)}"
                      for tie in ties)  # fmt: skip
    title = WORDS[kind][0]
    return Chart(title, f"{words}.", RING[0], height, drawn, 320), note


def _cell(tie: Tie | None, own: bool) -> PageCell:
    if tie is None:
        return PageCell("·" if own else "–")
    _, low, high = tie.interval
    small = lines(bounds(low, high), f"{tie.times}/{tie.chances}")
    return PageCell(percent(tie.share), small, style=heat_class(tie.share) if tie.sound else "few")


def cooperation(source: SiteSource, game: str) -> list[Figure]:
    """The share of cooperation by round; no figure for a game without such decisions."""
    if game not in source.rounds.games():
        return []
    courses, rows = [], []
    for agent in source.rounds.agents(game):
        who = source.cast[agent]
        points, intervals = [], []
        for first, end, k, n, interval in source.rounds.course(game, agent):
            _, low, high = interval or (None, k / n, k / n)
            points.append(((first + end) / 2, k / n))
            intervals.append((low, high))
            words = str(first) if first == end else f"{first}–{end}"
            row: list[Entry] = [PageCell(person=who), words, f"{100 * k / n:.0f} %"]
            ends = bounds(low if interval else None, high)
            rows.append([*row, ends, f"{count(k)}/{count(n)}"])
        courses.append(CourseLine(who, points, intervals))
    unit = source.rounds.unit(game)
    body = lines_chart(courses, SHARES, unit, size=SIZE, percent=True)
    words = f"Share of decisions to cooperate by {unit}; the table has every number."
    picture = Chart("Cooperation", words, *SIZE, body, 420)
    table = PageTable(("Agent", unit.capitalize(), "Cooperates", "95 % interval", "k/n"), rows, 2)
    note = (
        "Share of decisions to cooperate, with 95 % intervals (Wilson, by match). Fallbacks are"
        " left out; an amount counts as help from one half on."
    )
    return [Figure("cooperation", f"Cooperation over the {unit}s", note, table, (picture,))]


def tones(source: SiteSource, game: str) -> list[Figure]:
    """The shares of tones by agent; no figure for a game without tones."""
    by_agent_: dict[str, dict[str, Row]] = {}
    for tone, row in product(TONES, source.rows):
        of_row = (row.measure, row.game, row.role, row.condition)
        if of_row == (f"tone_{tone}", game, None, "all"):
            by_agent_.setdefault(row.agent, {})[tone] = row
    rows: list[list[Entry]] = []
    for agent in source.agents:
        shares = by_agent_.get(agent, {})
        if not shares:
            continue
        parts = [ShareSlice(f"tone-{tone}", row.value, f"{tone}: {percent(row.value)}")
                 for tone, row in shares.items()]  # fmt: skip
        words = ", ".join(part.words for part in parts)
        bar = PageCell(picture=stack_cell(parts, words), style="forest")
        numbers = [_share(shares.get(tone)) for tone in TONES]
        total = next(iter(shares.values())).n
        rows.append([PageCell(person=source.cast[agent]), bar, *numbers, count(total)])
    if not rows:
        return []
    titles = entries("Agent", PageCell("Shares", style="forest"), *TONES, "Messages")
    legend = [(f"tone-{tone}", tone) for tone in TONES]
    ill = ", ".join(sorted(NEGATIVE))
    note = (
        f"Tones that agents gave to their gossip, of all its messages. Bad words: {ill}; or the"
        " signal 0 where gossip is a signal."
    )
    return [Figure("tones", "Tones of gossip", note, PageTable(titles, rows), legend=legend)]


def _share(row: Row | None) -> PageCell:
    if row is None:
        return PageCell("–")
    return PageCell(
        percent(row.value), lines(bounds(row.low, row.high), f"{count(row.k or 0)}/{count(row.n)}")
    )
