"""The pages of agents: what an agent is, where it is good, whom it met, and its matches."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from markupsafe import Markup

from parlour.games.common.forms import NOTHING, percent
from parlour.ratings.counting.ties import Network
from parlour.ratings.measures.capabilities import CAPABILITIES
from parlour.ratings.reports import cells
from parlour.ratings.reports.agent import overall_rank
from parlour.ratings.reports.leaderboard import NOT_SHOWN, Meeting, Standing, column_titles
from parlour.ratings.reports.matrix import matrix
from parlour.ratings.reports.standings_report import ComparableRatings
from parlour.ratings.skill.strength import Strength
from parlour.ratings.statistics.intervals import wilson
from parlour.site.addresses import slugs
from parlour.site.charts import RADAR, AxisScale, axis_cell, interval_cell, radar
from parlour.site.figures import (
    Chart,
    PageTable,
    bounds,
    count,
    entries,
    number,
    of_measure,
    signed,
)
from parlour.site.findings import coloured, in_words, listed
from parlour.site.frame import PageFrame, render
from parlour.site.matches import Matches
from parlour.site.methods import plays
from parlour.site.nights import interval_of, nights
from parlour.site.standings import (
    ends_of,
    percent_of,
    plain_part,
    share_bar,
    strength_scale,
    suit,
    value_of,
)
from parlour.site.views import Views
from parlour.tournament.reports.conduct import Conduct
from parlour.tui.look.cast import ShownIdentity
from parlour.tui.models.game_names import game_title

MOST_COMPARED = 16
"""Agents up to which a static site has a page for each pair."""


@dataclass(frozen=True, slots=True)
class OpponentBar:
    """A line of a list of bars: about whom, the bar, the share in words, and its counts."""

    who: ShownIdentity
    address: str
    bar: Markup | None
    share: str
    counts: str


class Agents:
    """The pages of the agents of a save; ``ratings`` are those of a store, of the same names."""

    def __init__(
        self,
        views: Views,
        matches: Matches,
        frame: PageFrame,
        ratings: Sequence[ComparableRatings] = (),
    ) -> None:
        self.ratings = ratings
        self.source, self.views, self.matches, self.frame = views.source, views, matches, frame
        self.words = slugs(agent.name for agent in self.source.tournament.agents)
        played = [standing.agent for standing in self.source.board.by("overall")]
        rest = [name for name in self.words if name not in played]
        self.names = [name for name in (*played, *rest) if name in self.words]
        self._met = matrix(self.source.board, None)
        self._of: dict[str, list[Standing]] = {}
        for standing in self.source.board.standings:
            self._of.setdefault(standing.agent, []).append(standing)

    def address(self, agent: str) -> str:
        """The address of an agent's page."""
        return f"agent/{self.words[agent]}/"

    def pair_address(self, agent: str, other: str) -> str:
        """The address of the page that compares an agent with another."""
        return f"{self.address(agent)}with/{self.words[other]}/"

    def compared(self, agent: str) -> list[str]:
        """The agents with which it is compared on a static site."""
        others = [name for name in self.names if name != agent]
        return others if len(self.names) <= MOST_COMPARED else []

    def overall(self, agent: str) -> Standing | None:
        """The standing of an agent over all games."""
        return next((each for each in self._of.get(agent, ()) if each.game is None), None)

    def index_page(self) -> bytes:
        """The list of all agents."""
        kinds = {each.name: plays(each) for each in self.source.tournament.agents}
        rows = []
        for name in self.names:
            standing, (best, weakest) = self.overall(name), self._games(name)
            strength = standing.strength if standing else None
            skill = cells.rank(strength), value_of(strength), percent_of(standing)
            words = *skill, best or NOTHING, weakest or NOTHING, kinds[name]
            rows.append((self.source.cast[name], self.address(name), words))
        return render("agents.html.j2", self.frame, "agents/", "agents", "Agents", rows=rows)

    def page(self, agent: str, other: str | None = None) -> bytes:
        """The page of an agent, compared with another one, or with the mean of all."""
        source, who = self.source, self.source.cast[agent]
        standing, at = self.overall(agent), self.names.index(agent)
        address = self.pair_address(agent, other) if other else self.address(agent)
        near = [self.names[place] if 0 <= place < len(self.names) else None
                for place in (at - 1, at + 1)]  # fmt: skip
        best, worst = self.matches.extremes.get(agent, ((), ()))
        rows, axis = self._forest(agent)
        lead = self._lead(agent)
        return render(
            "agent.html.j2",
            self.frame,
            address,
            "agents",
            who.name if other is None else f"{who.name} beside {source.cast[other].name}",
            who=who,
            line=self._line(agent, other),
            lead=lead,
            near=[(source.cast[name].name, self.address(name)) if name else None for name in near],
            compare=[("the mean", self.address(agent), other is None)]
            + [
                (source.cast[name].name, self.pair_address(agent, name), name == other)
                for name in self.compared(agent)
            ],
            other=None if other is None else source.cast[other],
            facts=self._facts(agent, standing),
            radar=self._radar(agent, other),
            capabilities=self._capabilities(agent, other),
            rows=rows,
            axis=axis,
            lists=self._lists(agent),
            in_words=in_words,
            best=[self.matches.extreme(each) for each in best],
            worst=[self.matches.extreme(each) for each in worst],
            conduct=self._conduct(agent),
            nights=nights(agent, who, self.ratings),
            rated=bool(self.ratings),
        )

    def _line(self, agent: str, other: str | None) -> Markup:
        source, standing = self.source, self.overall(agent)
        name = coloured(source.cast[agent])
        if other is not None:
            return name + self._against(agent, other)
        strength = standing.strength if standing else None
        if strength is None:
            return name + Markup(" is not ranked.")
        ranks = (strength.rank, strength.last_rank)
        alike = [
            coloured(source.cast[each.agent])
            for each in source.board.by("overall")
            if each.strength
            and each.agent != agent
            and (each.strength.rank, each.strength.last_rank) == ranks
        ]
        few = len(alike) <= 3
        if ranks == (1, 1):
            return name + Markup(" leads.")
        if ranks[0] == 1 and alike and few:
            return name + Markup(" shares the lead with ") + listed(alike) + Markup(".")
        ranked = sum(each.strength is not None for each in source.board.by("overall"))
        words = Markup(" has rank {} of {}").format(cells.rank(strength), ranked)
        shared = Markup(", like ") + listed(alike) if alike and few else Markup("")
        return name + words + shared + Markup(".")

    def _against(self, agent: str, other: str) -> Markup:
        meeting = self._met.meetings.get((agent, other))
        name = coloured(self.source.cast[other])
        if meeting is None:
            return Markup(" and {} met in no match that has winners.").format(name)
        low, high = meeting.ends
        if low is None or high is None or low <= 0.5 <= high:
            return Markup(" and {} cannot be told apart where they met.").format(name)
        return Markup(" {} {} where they met.").format("beats" if low > 0.5 else "loses to", name)

    def _games(self, agent: str) -> tuple[str, str]:
        """Its best games and its weakest; "" for both where its possible ranks do not tell."""
        own = [each for each in self._of.get(agent, ()) if each.game and not each.role]
        ranked = [(each.strength, each.game or "") for each in own if each.strength]
        ranked.sort(key=lambda pair: (-pair[0].value, pair[1]))
        last, weakest = ranked[-1] if ranked else (None, "")
        best = [game_title(game) for strength, game in ranked[: 2 if len(ranked) > 3 else 1]
                if last and strength.last_rank < last.rank]  # fmt: skip
        return (" and ".join(best), game_title(weakest)) if best else ("", "")

    def _lead(self, agent: str) -> list[tuple[str, bool]]:
        """The best and weakest games, and what the agent is; True for what is bold."""
        best, weakest = self._games(agent)
        words = [(f"Best in {best}, weakest in {weakest}. ", False)] if best else []
        config = next(each for each in self.source.tournament.agents if each.name == agent)
        kind = {"llm": "Model", "scripted": "Scripted"}.get(config.kind, config.kind.capitalize())
        return [*words, (f"{kind}: ", False), (plays(config), True)]

    def _facts(self, agent: str, standing: Standing | None) -> list[tuple[str, str, str]]:
        strength = standing.strength if standing else None
        ranked = overall_rank(self.source.board, agent).rpartition(" ")[2]
        facts = [
            (cells.rank(strength), "", f"rank of {ranked}"),
            (value_of(strength), _interval(strength), "strength, 0 is the mean"),
            (percent_of(standing), "", "won, over roles"),
            (count(standing.matches) if standing else NOTHING, "", "matches"),
        ]
        own = self._own_conduct(agent)
        if own is not None:
            facts.append((f"{own.faulty:,} of {own.answers:,}", "", "answers faulty"))
        if standing is not None and standing.mu is not None:
            spread = f"σ {number(standing.sigma, 1)}"
            facts.append((number(standing.mu, 1), spread, "TrueSkill in this tournament"))
        rated = [(group.of(agent)[-1], group.title) for group in self.ratings if group.of(agent)]
        if rated:
            last, title = max(rated, key=lambda each: each[0].date)
            words = f"rating on {title[0].lower()}{title[1:]}"
            facts.append((signed(last.strength or 0.0), interval_of(last), words))
        return facts

    def _own_conduct(self, agent: str) -> Conduct | None:
        return next((each for each in self.source.conducts if each.agent == agent), None)

    def _values(self, agent: str | None) -> list[float | None]:
        """The capabilities of an agent, or the mean of all."""
        values: list[float | None] = []
        for name in CAPABILITIES:
            chosen = self.source.board.by("overall")
            own = [each.measures[name].value for each in chosen
                   if name in each.measures and agent in (None, each.agent)]  # fmt: skip
            values.append(fmean(own) if own else None)
        return values

    def _radar(self, agent: str, other: str | None) -> Chart | None:
        values, mean = self._values(agent), self._values(other)
        shown = [at for at, value in enumerate(values) if value is not None]
        if len(shown) < 3:
            return None
        titles, who = column_titles(), self.source.cast[agent]
        names = [f"{titles[CAPABILITIES[at]]} {100 * (values[at] or 0):.0f}" for at in shown]
        style = "mean" if other is None else f"other {self.source.cast[other].colour}"
        drawn = radar(names, [values[at] for at in shown], [mean[at] for at in shown],
                      who.colour, style)  # fmt: skip
        return Chart("Capabilities", f"In percent: {', '.join(names)}.", *RADAR, drawn)

    def _capabilities(self, agent: str, other: str | None) -> PageTable | None:
        shown = [name for name in (agent, other) if name is not None]
        standings = [self.overall(name) for name in shown]
        titles = column_titles() | NOT_SHOWN
        rows = []
        for name in (*CAPABILITIES, "radar_area", "suspicion"):
            own = [each.measures.get(name) if each else None for each in standings]
            if any(own):
                rows.append(entries(titles[name], *map(of_measure, own)))
        heads = entries("", *(self.source.cast[name].name for name in shown))
        return PageTable(heads, rows) if rows else None

    def _forest(self, agent: str) -> tuple[list[tuple[object, ...]], Markup]:
        own = self._of.get(agent, [])
        scale: AxisScale = strength_scale([each for each in own if each.game])
        colour = self.source.cast[agent].colour
        rows: list[tuple[object, ...]] = []
        by_key = {(each.game, each.role): each for each in own}
        for game in self.views.planned:
            standing = by_key.get((game, None))
            if standing is None:
                why = "nothing played yet" if not self.views.matches(game) else "did not play it"
                rows.append((suit(game), game_title(game), False, None, why, NOTHING, NOTHING))
                continue
            roles = [each for (of, role), each in by_key.items() if of == game and role]
            for each in [standing, *(roles if len(roles) > 1 else [])]:
                drawn = interval_cell(scale, *ends_of(each.strength), colour, 19)
                why = "" if each.strength else "ranks nobody"
                title = plain_part(each.role) if each.role else game_title(game)
                sign = "" if each.role else suit(game)
                rows.append((sign, title, bool(each.role), drawn if each.strength else None, why,
                             value_of(each.strength), percent_of(each)))  # fmt: skip
        return rows, axis_cell(scale)

    def _lists(self, agent: str) -> list[tuple[str, str, Sequence[OpponentBar]]]:
        met = [self._bar_of_meeting(agent, each) for each in self._met.of(agent)]
        lists: list[tuple[str, str, Sequence[OpponentBar]]] = [
            ("Met", "Share of matches won; won–drawn–lost.", met)
        ]
        for kind, title, note in (
            ("accused", "Who accuses it", "Of the ballots both sat at."),
            ("helped", "Who helps it", "Of their meetings."),
            ("gossip", "Who speaks ill of it", "Of the messages about it."),
        ):
            lists.append((title, note, self._bars_of_ties(agent, self.source.networks[kind])))
        return [each for each in lists if each[2]]

    def _bar_of_meeting(self, agent: str, meeting: Meeting) -> OpponentBar:
        who, other = self.source.cast[agent], self.source.cast[meeting.other]
        share = meeting.share
        words = f"{percent(share)}, 95 % interval {bounds(*meeting.ends)}"
        bar = share_bar(who, share, words, f"part weak {other.colour}")
        record = f"{meeting.wins}–{meeting.draws}–{meeting.losses}"
        address = self.link_of(agent, meeting.other)
        return OpponentBar(other, address, bar, percent(share), record)

    def link_of(self, agent: str, other: str) -> str:
        """The address of the page of a pair, or of the other agent where there is none."""
        if other not in self.words:
            return ""
        compared = other in self.compared(agent)
        return self.pair_address(agent, other) if compared else self.address(other)

    def _bars_of_ties(self, agent: str, network: Network) -> list[OpponentBar]:
        ties = [tie for tie in network.ties.values() if tie.other == agent]
        ties.sort(key=lambda tie: (not tie.sound, -tie.share, tie.agent))
        bars = []
        for tie in ties:
            other, (_, low, high) = self.source.cast[tie.agent], tie.interval
            words = f"{percent(tie.share)}, 95 % interval {bounds(low, high)}"
            bar = share_bar(other, tie.share, words) if tie.sound else None
            address = self.link_of(agent, tie.agent)
            record = f"{tie.times:,}/{tie.chances:,}"
            bars.append(OpponentBar(other, address, bar, percent(tie.share), record))
        return bars

    def _conduct(self, agent: str) -> list[tuple[str, str, str]]:
        own = self._own_conduct(agent)
        if own is None:
            return []
        _, low, high = own.interval or wilson(own.faulty, max(1, own.answers))
        ends = f"{100 * low:.1f} to {100 * high:.1f} %".replace("0.0 to", "0 to")
        called = bool(own.calls or own.cached)
        money = f"${own.dollars:,.2f}" if own.dollars >= 0.01 or not own.dollars else "<$0.01"
        seconds = f"{own.latency[0]:.1f} s" if own.latency else NOTHING
        return [
            ("answers", f"{own.answers:,}", ""),
            ("faults", f"{own.faulty:,}", ends),
            ("repairs, retries", f"{own.repairs:,} · {own.retries:,}", ""),
            ("calls", f"{own.calls:,}" if called else NOTHING, "" if called else "no model"),
            ("tokens in, out", f"{own.prompt_tokens:,} · {own.completion_tokens:,}" if called
             else NOTHING, ""),
            ("money", money, "some calls had no price" if own.unpriced else ""),
            ("seconds an answer", seconds, ""),
        ]  # fmt: skip


def _interval(strength: Strength | None) -> str:
    """The interval as ±, which a strength has even ends for."""
    half = strength.half if strength else None
    return "" if half is None else f"±{half:.2f}"
