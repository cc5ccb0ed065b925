"""Matches: which ones are told, the best and worst of each agent, and the lists of all."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import chain

from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.site.figures import number
from parlour.site.frame import PageFrame, render
from parlour.site.source import SiteSource
from parlour.site.standings import suit
from parlour.site.views import Views
from parlour.site.wording import plain, sentence_case
from parlour.tui.models.game_names import game_title

AT_ONCE = 200
"""Matches on a page of a list."""
EACH = 3
"""The best and the worst matches of an agent, at most."""
WHY = {
    "surprising": "The most surprising by the strength model",
    "swing": "The biggest swing of a rating",
    "closest": "The closest",
    "example": "One more",
}


class Matches:
    """The finished matches of a save, for its lists."""

    def __init__(self, source: SiteSource) -> None:
        self.source = source
        self.by_game: dict[str, list[MatchRecord]] = defaultdict(list)
        for record in source.counted.records:
            self.by_game[record.game].append(record)
        self._strength = {
            each.agent: each.strength.value for each in source.board.by("overall") if each.strength
        }

    @cached_property
    def told(self) -> dict[int, str]:
        """The numbers of the matches that a static site tells, each with the reason."""
        chosen = {
            choice.match: f"{WHY[choice.reasons[0][0]]}: {choice.reasons[0][1]}"
            for choice in self.source.choices
        }
        for agent in self.source.agents:
            name = self.source.cast[agent].name
            for words, extremes in zip(("best", "worst"), self.extremes[agent], strict=True):
                for record, _seat in extremes:
                    chosen.setdefault(record.number, f"One of the {words} of {name}")
        return dict(sorted(chosen.items()))

    @cached_property
    def extremes(self) -> Mapping[str, tuple[list["Seated"], list["Seated"]]]:
        """The best and worst matches of each agent, one of a game.

        They go by payoff as a share of what the game can pay in the role, or of the range that it
        has paid. Of equals, the best has the strongest opponents; then comes the first.
        """
        best: dict[str, dict[str, tuple[tuple[float, ...], Seated]]] = defaultdict(dict)
        worst: dict[str, dict[str, tuple[tuple[float, ...], Seated]]] = defaultdict(dict)
        for game, records in self.by_game.items():
            most = find_game(game, "matches").scoring.roles
            low, high = self._paid[game]
            for record in records:
                for seat in record.counted:
                    agent, outcome = record.agents[seat], record.outcome
                    credits = most.get(outcome.roles[seat])
                    floor, top = (0.0, credits) if credits else (low, high)
                    share = (outcome.payoffs[seat] - floor) / ((top - floor) or 1.0)
                    seated = (record, int(seat))
                    key = (-share, -self._against(record, agent), record.number)
                    if game not in best[agent] or key < best[agent][game][0]:
                        best[agent][game] = key, seated
                    low_key = (share, record.number)
                    if game not in worst[agent] or low_key < worst[agent][game][0]:
                        worst[agent][game] = low_key, seated
        return {
            agent: (_first(best.get(agent, {})), _first(worst.get(agent, {})))
            for agent in self.source.agents
        }

    @cached_property
    def _paid(self) -> Mapping[str, tuple[float, float]]:
        """The least and the most that each game has paid anybody."""
        ends = {}
        for game, records in self.by_game.items():
            paid = [*chain.from_iterable(record.outcome.payoffs for record in records)]
            ends[game] = min(paid), max(paid)
        return ends

    def _why(self, record: MatchRecord, seat: int) -> str:
        """A sentence on what a seat was paid, "" where it is neither the most nor the least."""
        role, payoff = record.outcome.roles[seat], record.outcome.payoffs[seat]
        most = find_game(record.game, "matches").scoring.roles.get(role)
        low, high = (0.0, most) if most else self._paid[record.game]
        if low == high or payoff not in (low, high):
            return ""
        if most:
            words = "all that" if payoff == high else "nothing of what"
            return f"As {role.replace('_', ' ')} it got {words} the role can pay."
        return f"Nobody was paid {'more' if payoff == high else 'less'} in this game."

    def _against(self, record: MatchRecord, agent: str) -> float:
        others = {other for other in record.agents if other != agent}
        return sum(self._strength.get(other, 0.0) for other in sorted(others)) / max(1, len(others))

    def extreme(self, seated: "Seated") -> dict[str, object]:
        """A match of an agent in words, with its opponents and their numbers of seats."""
        record, seat = seated
        own = record.agents[seat]
        met = Counter(name for name in record.agents if name not in (own, BUILT_IN))
        others = [(self.source.cast[other], times) for other, times in met.items()]
        most = find_game(record.game, "matches").scoring.roles.get(record.outcome.roles[seat])
        payoff = number(record.outcome.payoffs[seat], 1).removesuffix(".0")
        return {
            "number": record.number,
            "game": game_title(record.game),
            "suit": suit(record.game),
            "others": others,
            "ending": ending_of(record),
            "result": f"{payoff} of {most:g}" if most else payoff,
            "why": self._why(record, seat),
        }

    def line(self, record: MatchRecord, *, is_told: bool, why: str = "") -> dict[str, object]:
        """A match as a line of a list; its address is "" where the site has no page of it."""
        people = [self.source.cast[agent] for agent in record.agents]
        return {
            "number": record.number,
            "address": f"match/{record.number}/" if is_told else "",
            "people": people,
            "ending": ending_of(record),
            "winners": " ".join(people[seat].letters for seat in record.outcome.winners),
            "experiment": record.experiment,
            "why": why,
        }

    def pages(self, game: str) -> int:
        """The number of pages of the list of a game."""
        return -(-len(self.by_game.get(game, ())) // AT_ONCE)


Seated = tuple[MatchRecord, int]
"""A match and the seat of an agent in it."""


def _first(by_game: Mapping[str, tuple[tuple[float, ...], Seated]]) -> list[Seated]:
    return [seated for _, seated in sorted(by_game.values(), key=lambda each: each[0])[:EACH]]


def ending_of(record: MatchRecord) -> str:
    """The ending of a match as a sentence."""
    game = find_game(record.game, "matches")
    words = plain(game.texts.endings.get(record.outcome.ending, record.outcome.ending), ())
    return f"{sentence_case(words)}."


def list_address(game: str, page: int) -> str:
    """The address of a page of the list of a game, from 1."""
    return f"matches/{game}/" if page == 1 else f"matches/{game}/{page}/"


def index_page(views: Views, matches: Matches, frame: PageFrame) -> bytes:
    """The page of all games with their counts, and of the matches that are told."""
    games = [
        (game_title(game), suit(game), list_address(game, 1), len(matches.by_game[game]))
        for game in views.planned
        if game in matches.by_game
    ]
    records = {record.number: record for record in matches.source.counted.records}
    lines = [
        (game_title(records[number].game), suit(records[number].game),
         matches.line(records[number], is_told=True, why=why))
        for number, why in matches.told.items()
    ]  # fmt: skip
    words = "matches.html.j2", frame, "matches/", "matches", "Matches"
    return render(*words, games=games, told=lines, total=len(records))


def list_page(matches: Matches, frame: PageFrame, game: str, page: int, all_told: bool) -> bytes:
    """A page of the list of the matches of a game."""
    records = matches.by_game[game][(page - 1) * AT_ONCE : page * AT_ONCE]
    last = matches.pages(game)
    near = sorted({1, *range(max(1, page - 3), min(last, page + 3) + 1), last})
    return render(
        "match_list.html.j2",
        frame,
        list_address(game, page),
        "matches",
        f"Matches of {game_title(game)}",
        game=game_title(game),
        suit=suit(game),
        total=len(matches.by_game[game]),
        lines=[
            matches.line(record, is_told=all_told or record.number in matches.told)
            for record in records
        ],
        page=page,
        pages=[(number, list_address(game, number)) for number in near],
    )


def list_pages(views: Views, matches: Matches) -> Iterator[tuple[str, int]]:
    """Yields every page of the lists: a game and a number."""
    for game in views.planned:
        for page in range(1, matches.pages(game) + 1):
            yield game, page
