"""The page of the standings, and of each view of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from markupsafe import Markup

from parlour.games.common.forms import NOTHING, percent
from parlour.ratings.measures.capabilities import CAPABILITIES
from parlour.ratings.reports.leaderboard import Cell as MeasureCell
from parlour.ratings.reports.leaderboard import Standing, column_titles
from parlour.ratings.skill.strength import Strength
from parlour.site.addresses import slugs
from parlour.site.charts import AxisScale, ShareSlice, axis_cell, interval_cell, stack_cell
from parlour.site.charts import wide_scale as scale_of
from parlour.site.figures import Figure, bounds, count, signed
from parlour.site.findings import RankPlace, finding, places_of, rank_sets, stop
from parlour.site.forests import forest_table
from parlour.site.frame import PageFrame, render
from parlour.site.source import SiteSource
from parlour.site.ties import cooperation, tones
from parlour.site.views import ON_PAGE, StandingsView, Views, family_of
from parlour.tui.look.cast import ShownIdentity
from parlour.tui.look.palette import DAY, FANCY
from parlour.tui.models.game_names import game_title

HEADS = dict(
    zip(
        CAPABILITIES,
        ("judge", "reason", "deceive", "self", "cooper.", "coord.", "rational"),
        strict=True,
    )
)
"""The short head of each capability."""
ROW, MANY = 36, 12
"""The height of a row, and the agents from which on rows are lower."""


@dataclass(frozen=True, slots=True)
class Heat:
    """A cell of heat: its text, its class, its value for sorting, and a tooltip."""

    text: str
    style: str
    value: str = ""
    title: str = ""


Shown = Mapping[str, object]
"""The values of one thing on the page, by their names in its template."""


@dataclass(frozen=True, slots=True)
class RankBlock:
    """Agents with the same possible ranks; ``style`` is "" where ranks overlap in a chain."""

    style: str
    rows: Sequence[Shown]


@dataclass(frozen=True, slots=True)
class FilterChoice:
    """A choice of a filter; the link leads nowhere if it would leave nobody."""

    words: str
    address: str | None
    chosen: bool


@dataclass(frozen=True, slots=True)
class Remarked:
    """A line above the table: a warning or an alarm about an agent, or about all."""

    id: str
    level: str
    subject: str | None
    sentence: str
    address: str


def standings_page(views: Views, frame: PageFrame, view: StandingsView) -> bytes:
    """The page of a view of the standings."""
    source, standings = views.source, views.standings(view)
    whole = replace(view, page=1)
    decided = source.decided if whole == StandingsView() else None
    first_line = finding(source, standings, decided)
    shown = remarked(source)
    names_of = set(chain.from_iterable(each.measures for each in standings))
    heats = [name for name in CAPABILITIES if name in names_of]
    scale = strength_scale(standings)
    family = FAMILY_TITLES.get(view.family, view.family.capitalize())
    names = (family, view.game and game_title(view.game), plain_part(view.part))
    title = " · ".join(filter(None, names))
    blocks = _blocks(
        source, standings or unplayed(source), places_of(standings, decided), heats, scale, shown
    )
    return render(
        "standings.html.j2",
        frame,
        views.address(view),
        "standings",
        title or "Standings",
        found=first_line,
        so_far=so_far(views),
        crumb=title + (" · without faults" if view.sound else ""),
        remarks=shown[:3],
        more=len(shown) - 3,
        filters=_filters(views, view),
        heads=[(name, HEADS[name], column_titles()[name]) for name in heats],
        axis=axis_cell(scale),
        blocks=_of_page(blocks, view.page),
        pages=[
            (page, views.address(replace(view, page=page)), page == view.page)
            for page in range(1, views.pages(whole) + 1)
        ],
        stopped=stop(source) if whole == StandingsView() else None,
        agents=len(standings),
        many=len(standings) > MANY,
        games=_minis(views, view, [each.agent for each in standings]),
        figures=_measured(views, view, standings),
        matches=f"matches/{view.game}/" if view.game and not view.part else "",
    )


def _of_page(blocks: Sequence[RankBlock], page: int) -> list[RankBlock]:
    """The part of the blocks that stands on a page; ranks count through."""
    first, shown, at = (page - 1) * ON_PAGE, list[RankBlock](), 0
    for block in blocks:
        rows = block.rows[max(0, first - at) : max(0, first + ON_PAGE - at)]
        at += len(block.rows)
        shown += [RankBlock(block.style, rows)] if rows else []
    return shown


def unplayed(source: SiteSource) -> list[Standing]:
    """The agents before the first match is over: lines without a number."""
    names = [agent.name for agent in source.tournament.agents]
    return [Standing(None, None, name, 0, None, None, None, None, {}) for name in names]


def _measured(views: Views, view: StandingsView, standings: Sequence[Standing]) -> list[Figure]:
    """The figures of a game, role or condition: every measure, and the course of a game."""
    if not view.game or not standings:
        return []
    source = views.source
    note = "Below each number: its 95 % interval, and k/n or n."
    if view.kind == "condition":
        note += " A condition is rated by its own matches alone."
    table = forest_table(source, standings)
    figures = [Figure("measures", "All measures", note, table)]
    if view == StandingsView(view.family, view.game):  # the first page of a game
        figures += [*cooperation(source, view.game), *tones(source, view.game)]
    return figures


FAMILY_TITLES = {"bluff": "Bluff", "gossip": "Gossip", "dilemma": "Dilemma", "bargain": "Bargain"}


def plain_part(part: str) -> str:
    """A role or condition in words."""
    return part.replace("_", " ").replace(",", ", ")


def suit(game: str) -> str:
    """The sign of the family of a game."""
    return FANCY.suits.get(family_of(game), "•")


def so_far(views: Views) -> str:
    """The words before the finding of a tournament that is not over."""
    count_of = views.source.count
    if count_of.done or not views.source.board.matches:
        return ""
    over = views.source.board.matches
    return f"So far, after {over:,} of {count_of.matches:,} matches: "


def strength_scale(standings: Sequence[Standing]) -> AxisScale:
    """The scale of the strengths of some standings."""
    strong = [each.strength for each in standings if each.strength]
    return scale_of([*chain.from_iterable((s.low, s.value, s.high) for s in strong)])


def remarked(source: SiteSource) -> list[Remarked]:
    """The alarms, then the warnings, each with the address of its details."""
    warnings = [each for each in source.remarks if each.level == "warning"]
    raised = [("alarm", each.subject, each.sentence, "data/#conduct") for each in source.alarms]
    raised += [("warning", each.subject, each.sentence, "method/#remarks") for each in warnings]
    return [Remarked(f"r{index}", level, subject, f"{sentence}.", place)
            for index, (level, subject, sentence, place) in enumerate(raised)]  # fmt: skip


def _blocks(
    source: SiteSource,
    standings: Sequence[Standing],
    places: Sequence[RankPlace],
    heats: Sequence[str],
    scale: AxisScale,
    shown: Sequence[Remarked],
) -> list[RankBlock]:
    height = ROW if len(standings) <= MANY else 26
    words = slugs(agent.name for agent in source.tournament.agents)
    rank_of = {place.agent: place for place in places}

    def row(each: Standing) -> Shown:
        strength, place = each.strength, rank_of.get(each.agent)
        who, won = source.cast[each.agent], each.measures.get("win_rate")
        sort = {"strength": f"{strength.value:.4f}" if strength else ""}
        sort |= {"won": f"{won.value:.4f}" if won else "", "matches": str(each.matches)}
        return {
            "who": who,
            "address": f"agent/{words.get(each.agent, '')}/",
            "rank": NOTHING if place is None else place.words,
            "forest": interval_cell(scale, *ends_of(strength), who.colour, height),
            "strength": value_of(strength),
            "sort": sort,
            "won": percent_of(each),
            "matches": count(each.matches),
            "heats": [heat(each.measures.get(name)) for name in heats],
            "remark": next((line.id for line in shown if line.subject == each.agent), ""),
        }

    by_agent = {each.agent: each for each in standings}
    sets = rank_sets(places)
    blocks = []
    if sets is not None and len(places) > 2:
        for index, group in enumerate(sets):
            rows = [row(by_agent[place.agent]) for place in group if place.agent in by_agent]
            blocks.append(RankBlock("block first" if index == 0 else "block", rows))
    else:
        ranked = [by_agent[place.agent] for place in places if place.agent in by_agent]
        blocks.append(RankBlock("", list(map(row, ranked))))
    rest = [row(each) for each in standings if each.agent not in rank_of]
    return [block for block in (*blocks, RankBlock("", rest)) if block.rows]


def share_bar(who: ShownIdentity, share: float, words: str, rest: str = "rest") -> Markup:
    """A share as a bar in the colour of an agent; ``rest`` is the class of what is left."""
    parts = [ShareSlice(f"part {who.colour}", share, ""), ShareSlice(rest, 1 - share, "")]
    return stack_cell(parts, words, 18)


def ends_of(strength: Strength | None) -> tuple[float | None, float | None, float | None]:
    """The estimate of a strength and the ends of its interval."""
    return (strength.value, strength.low, strength.high) if strength else (None, None, None)


def percent_of(standing: Standing | None, measure: str = "win_rate") -> str:
    """A measure of an agent in whole percent."""
    cell = standing.measures.get(measure) if standing else None
    return percent(cell.value if cell else None)


def value_of(strength: Strength | None) -> str:
    """The estimate of a strength in words."""
    return signed(strength.value) if strength else NOTHING


def heat(cell: MeasureCell | None) -> Heat:
    """The heat cell of a share: bold above one half."""
    if cell is None:
        return Heat(NOTHING, "none")
    strong = " strong" if cell.value > 0.5 else ""
    k = f"{count(cell.k)} of " if cell.k is not None else "n "
    title = f"{k}{count(cell.n)}, 95 % interval {bounds(cell.low, cell.high)}"
    step = DAY.heat.step(cell.value)
    return Heat(f"{100 * cell.value:.0f}", f"h{step}{strong}", f"{cell.value:.4f}", title)


def family_choices(views: Views, chosen: str, address: Callable[[str], str]) -> list[FilterChoice]:
    """The families to choose from, each with the address of its page; none of a single family."""
    choices = [FilterChoice("All", address(""), not chosen)]
    for family in views.families if len(views.families) > 1 else []:
        words = f"{FANCY.suits.get(family, '•')} {FAMILY_TITLES.get(family, family.capitalize())}"
        page = address(family) if views.played(family) else None
        choices.append(FilterChoice(words, page, family == chosen))
    return choices


def _filters(views: Views, view: StandingsView) -> dict[str, object]:
    def choice(words: str, other: StandingsView, there: bool) -> FilterChoice:
        return FilterChoice(words, views.address(other) if there else None, other == view)

    sound, every = view.sound, f"all {len(views.planned)}"
    families = family_choices(
        views, view.family, lambda family: views.address(StandingsView(family, sound=sound))
    )
    menus = [("Game", game_title(view.game) if view.game else every, [
        FilterChoice(every, views.address(StandingsView(sound=sound)), not view.game),
        *(FilterChoice(f"{suit(game)} {game_title(game)}",
                 views.address(StandingsView(family_of(game), game, sound=sound))
                 if views.matches(game) else None, game == view.game)
          for game in views.planned)])]  # fmt: skip
    for kind, name in (("role", "Role"), ("condition", "Condition")):
        own = views.parts(kind, view.game) if view.game else {}
        whole = StandingsView(view.family, view.game, sound=sound)
        choices = [FilterChoice("all", views.address(whole), view.kind != kind)]
        choices += [
            choice(plain_part(part), StandingsView(view.family, view.game, kind, part, sound), True)
            for part in own
        ]
        if not own:
            choices = []
            for game in views.planned:
                for part in views.parts(kind, game):
                    other = StandingsView(family_of(game), game, kind, part, sound)
                    words = f"{game_title(game)}: {plain_part(part)}"
                    choices.append(FilterChoice(words, views.address(other), False))
        menus.append((name, plain_part(view.part) if view.kind == kind else "all", choices))
    played = StandingsView(view.family, view.game, view.kind, view.part)
    without = StandingsView(view.family, view.game, view.kind, view.part, sound=True)
    faults = [choice("as played", played, True), choice("left out", without, views.has_faults)]
    menus.append(("Faults", "left out" if sound else "as played", faults))
    return {"families": families, "menus": menus}


def _minis(views: Views, view: StandingsView, order: Sequence[str]) -> list[Shown]:
    """The small charts of games: for each agent its drawing and its number."""
    names = [] if view.game else [
        game for game in views.planned if view.family in ("", family_of(game))
    ]  # fmt: skip
    board = views.board(view)
    by_game: dict[str, dict[str, Standing]] = {}
    for each in board.by("game"):
        by_game.setdefault(each.game or "", {})[each.agent] = each
    wanted = [list(by_game.get(game, {}).values()) for game in names]
    scale = strength_scale([*chain.from_iterable(wanted)])
    minis, families = list[Shown](), list[str]()
    planned = views.source.count.done
    column = 0
    for game in names:
        family = family_of(game)
        fresh = family not in families
        begins = fresh and column % 3 != 0 and list(map(family_of, names)).count(family) % 3 == 0
        families.append(family)
        column = 1 if begins else column + 1
        rows, why, axis = _mini_rows(views, by_game.get(game, {}), order, scale)
        over = views.matches(game)
        shown = f"{over:,} match{'es' if over != 1 else ''}" if planned else f"{over:,} over"
        address = views.address(StandingsView(family, game, sound=view.sound))
        minis.append({"title": game_title(game), "suit": suit(game), "matches": shown,
                      "address": address if rows else "", "begins": begins, "rows": rows,
                      "axis": axis, "why": why})  # fmt: skip
    return minis


SHOWN = 6
"""The rows of a small chart of more than ``MANY`` agents."""


def _mini_rows(
    views: Views, standings: Mapping[str, Standing], order: Sequence[str], scale: AxisScale
) -> tuple[list[tuple[ShownIdentity, Markup, str]], str, Markup | None]:
    cast = views.source.cast
    agents = [agent for agent in order if agent in standings]
    why = ""
    if len(agents) > MANY:
        why = f"the first five and the last; {len(agents) - SHOWN} more on the page of the game"
        agents = [*agents[: SHOWN - 1], agents[-1]]
    own = [standings[agent] for agent in agents]
    if any(each.strength for each in own):
        rows = []
        for each in own:
            who = cast[each.agent]
            drawn = interval_cell(scale, *ends_of(each.strength), who.colour, 18)
            rows.append((who, drawn, value_of(each.strength)))
        return rows, why, axis_cell(scale)
    name = None
    for title in column_titles():
        if name is None and any(_is_share(each, title) for each in own):
            name = title
    if name is None:
        return [], why, None
    bars = []
    for each in own:
        cell, who = each.measures.get(name), cast[each.agent]
        share = min(1.0, cell.value) if cell else 0.0
        words = percent_of(each, name)
        bars.append((who, share_bar(who, share, words), words))
    title = column_titles()[name].lower()
    return bars, "; ".join(filter(None, (f"{title}; ranks nobody: see the page", why))), None


def _is_share(standing: Standing, name: str) -> bool:
    cell = standing.measures.get(name)
    return cell is not None and cell.k is not None and 0 <= cell.value <= 1
