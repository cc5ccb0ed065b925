"""Sections of what agents do to each other: networks, and the tones of their gossip."""

from parlour.games.common.forms import percent
from parlour.games.engine.board import Arrow
from parlour.games.engine.moves import Seat
from parlour.games.families.gossip_games import NEGATIVE, TONES
from parlour.ratings.counting.ties import Network, Tie
from parlour.ratings.measures.measures import Row
from parlour.site.boards import heat_class
from parlour.site.charts import RING, Slice, ring, stack_cell
from parlour.site.figures import (
    Cell,
    Chart,
    Entry,
    Figure,
    Section,
    Table,
    bounds,
    by_agent,
    count,
    entries,
    lines,
)
from parlour.site.source import Source, rows_of
from parlour.site.forests import title_of

STRONGEST = 14
"""The most arrows of a ring: more hide each other."""
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


def networks(source: Source) -> Section:
    """A matrix and a ring for each kind of tie that occurs."""
    every = source.networks
    figures = [_network(source, kind, every[kind]) for kind in WORDS if every[kind].ties]
    words = ["Cells of fewer than 3 chances have no colour."] if figures else [
        "There are no votes, no help and no gossip between different agents."
    ]  # fmt: skip
    return Section(
        "networks", "Who accuses, helps and talks about whom", "Networks", words, figures
    )


def _network(source: Source, kind: str, network: Network) -> Figure:
    title, note, verb = WORDS[kind]
    cast = source.cast
    present = {tie.agent for tie in network.ties.values()}
    present |= {tie.other for tie in network.ties.values()}
    agents = [agent for agent in source.agents if agent in present]
    heads: dict[str, Entry] = {agent: Cell(person=cast[agent]) for agent in agents}
    table = by_agent(
        cast, agents, heads, lambda one, other: _cell(network.ties.get((one, other)), one == other)
    )
    received = [network.received(agent) for agent in agents]
    everybody: list[Entry] = ["by all others", *(_cell(tie, False) for tie in received)]
    table = Table(table.titles, [*table.rows, everybody])
    if len(agents) > MOST_PEOPLE:
        return Figure(f"ties-{kind}", title, note, table)
    strongest = network.strongest(STRONGEST)
    index = {agent: place for place, agent in enumerate(agents)}
    ties = [
        Arrow(Seat(index[tie.agent]), Seat(index[tie.other]), share=tie.share)
        for tie in reversed(strongest)
        if tie.agent in index and tie.other in index
    ]
    notes = [f"gets {percent(tie.share)}" if tie else "" for tie in received]
    drawn, height = ring([cast[agent] for agent in agents], ties, notes)
    words = "; ".join(f"{cast[tie.agent].name} {verb} {cast[tie.other].name} {percent(tie.share)}"
                      for tie in strongest)  # fmt: skip
    picture = Chart(title, f"The strongest ties: {words}.", RING[0], height, drawn, 320)
    return Figure(f"ties-{kind}", title, note, table, (picture,), beside=True)


def _cell(tie: Tie | None, own: bool) -> Cell:
    if tie is None:
        return Cell("·" if own else "–")
    _, low, high = tie.interval
    small = lines(bounds(low, high), f"{tie.times}/{tie.chances}")
    return Cell(percent(tie.share), small, style=heat_class(tie.share) if tie.sound else "few")


def tones(source: Source) -> Section:
    """The shares of tones by agent, a figure for each game with gossip."""
    by_cell: dict[tuple[str, str], dict[str, Row]] = {}
    for tone in TONES:
        for row in rows_of(source, f"tone_{tone}"):
            if row.role is None and row.game is not None:
                by_cell.setdefault((row.game, row.agent), {})[tone] = row
    figures = []
    for game in source.games:
        rows: list[list[Entry]] = []
        for agent in source.agents:
            shares = by_cell.get((game, agent), {})
            if not shares:
                continue
            parts = [Slice(f"tone-{tone}", row.value, f"{tone}: {percent(row.value)}")
                     for tone, row in shares.items()]  # fmt: skip
            words = ", ".join(part.words for part in parts)
            bar = Cell(picture=stack_cell(parts, words), style="forest")
            numbers = [_share(shares.get(tone)) for tone in TONES]
            total = next(iter(shares.values())).n
            rows.append([Cell(person=source.cast[agent]), bar, *numbers, count(total)])
        if rows:
            titles = entries("Agent", Cell("Shares", style="forest"), *TONES, "Messages")
            legend = [(f"tone-{tone}", tone) for tone in TONES]
            title = title_of(game)
            figures.append(Figure(f"tones-{game}", title, "", Table(titles, rows), legend=legend))
    ill = ", ".join(sorted(NEGATIVE))
    words_of = [
        f"Tones that agents gave to their gossip, of all its messages. Bad words: {ill}; or the"
        " signal 0 where gossip is a signal."
    ]
    if not figures:
        words_of = ["No gossip of this tournament has a tone."]
    return Section("tones", "Tones of gossip", "Tones", words_of, figures)


def _share(row: Row | None) -> Cell:
    if row is None:
        return Cell("–")
    return Cell(
        percent(row.value), lines(bounds(row.low, row.high), f"{count(row.k or 0)}/{count(row.n)}")
    )
