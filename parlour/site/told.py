"""Matches told in full: the cast, the talk as items of the page, the boards and the beliefs."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from shlex import quote

from markupsafe import Markup

from parlour.games.common.errors import BadInput
from parlour.games.common.forms import percent
from parlour.games.engine import talk
from parlour.games.engine.board import Board
from parlour.games.engine.moves import Outcome, player
from parlour.games.engine.transcript import counted
from parlour.ratings.measures.conditions import condition_name
from parlour.site.boards import board_figures, heat_class
from parlour.site.charts import picture_of
from parlour.site.figures import Entry, Figure, PageCell, PageTable, entries, number
from parlour.site.frame import PageFrame, environment, render, shared_files
from parlour.site.source import CLASSES, SiteSource, ToldMatch, read_told
from parlour.site.steps import ToldStep, folded
from parlour.site.wording import named, plain, sentence_case
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.reader import Save
from parlour.tui.look.cast import Cast, ShownIdentity
from parlour.tui.models.game_names import game_title

MOST_LETTERS = 2000
"""The letters of a player's words that are shown at once."""


@dataclass(frozen=True, slots=True)
class ToldItem:
    """An item of a talk on the page.

    ``kind`` is its class. ``who`` speaks or acts, ``words`` are in names, ``extra`` stands at the
    right, ``reasons`` are private, each with the one who gives it. ``more`` is what is folded.
    """

    kind: str
    words: Markup
    who: ShownIdentity | None = None
    extra: str = ""
    sign: str = ""
    reasons: Sequence[tuple[ShownIdentity, Markup]] = ()
    more: Markup | None = None


@dataclass(frozen=True, slots=True)
class ToldScene:
    """A step on the page: its items, the votes that it casts, and the boards where they change."""

    number: int
    items: Sequence[ToldItem]
    votes: Sequence[tuple[ShownIdentity, ShownIdentity | None]]
    figures: Sequence[Figure]
    label: str
    bad: bool


@dataclass(frozen=True, slots=True)
class Story:
    """A match on a page; ``cast`` has each player with its role, payoff and whether it won.

    Of its ``parts`` those with words are folded: their rounds are alike and without news.
    """

    id: str
    why: str
    title: str
    setting: str
    ending: str
    cast: Sequence[tuple[ShownIdentity, str, str, bool]]
    steps: int
    parts: Sequence[tuple[str, Sequence[ToldScene]]]
    figures: Sequence[Figure]
    beliefs: Sequence[Figure]
    command: str
    problem: str = ""


def match_page(source: SiteSource, frame: PageFrame, number: int, why: str) -> bytes:
    """The page of a match, told; ``why`` is the reason for which it was picked, if it was."""
    story = story_of(source.path, source.tournament, source.cast, number, why)
    address = f"match/{number}/"
    return render("match.html.j2", frame, address, "matches", story.title, story=story)


def replay_page(path: Path, number: int, version: str) -> bytes:
    """A match as one file, with its style and its script in it."""
    story, style, script = _story_of(path, number), *shared_files().values()
    hashes = [f"'sha256-{b64encode(sha256(each).digest()).decode()}'" for each in (style, script)]
    template = environment().get_template("replay.html.j2")
    words = {"story": story, "style": style.decode(), "script": script.decode()}
    return template.render(**words, hashes=hashes, version=version).encode()


def replay_picture(path: Path, number: int) -> bytes:
    """The boards of a match after its last step, as a file. BadInput without one."""
    story = _story_of(path, number)
    if not story.figures:
        fix = "write the page with --html"
        raise BadInput(f"match {number}", story.problem or "has no board", fix)
    style = shared_files()["style.css"].decode()
    one = picture_of(story.title, (story.setting, story.ending), story.figures)
    return environment().get_template("picture.svg.j2").render(one=one, style=style).encode()


def _story_of(path: Path, number: int) -> Story:
    with Save(path) as save:
        tournament = save.tournament
    return story_of(
        path, tournament, Cast([each.name for each in tournament.agents], CLASSES), number
    )


def story_of(path: Path, tournament: Tournament, cast: Cast, number: int, why: str = "") -> Story:
    """A match of a save in the words and figures of its page."""
    one = read_told(path, number)
    match, table = one.match, one.table
    people = cast.seats(match.agents)
    game = tournament.games[match.entry].game
    outcome = match.outcome
    id = f"match-{match.number}"
    final: Sequence[Figure] = ()
    if table is not None:
        final = board_figures(game.board(table.seats, table.events, table.outcome), people, id)
    ending = ""
    if outcome is not None:
        words = game.texts.endings.get(outcome.ending, outcome.ending)
        ending = f"{sentence_case(words)}."
    condition = condition_name(match.condition)
    scenes = _scenes(one.steps, people)
    return Story(
        id=id,
        why=why,
        title=f"{game_title(match.game)}, match {match.number}",
        setting=f"seed {match.seed}" + (f" · {condition}" if condition else ""),
        ending=ending,
        cast=[_player(outcome, seat, who) for seat, who in enumerate(people)],
        steps=len(one.steps),
        parts=[(words, list(islice(scenes, len(part)))) for words, part in folded(one.steps)],
        figures=final,
        beliefs=_beliefs(one, people, id),
        command=f"parlour replay {quote(path.name)} {match.number}",
        problem=one.problem,
    )


def _player(
    outcome: Outcome | None, seat: int, who: ShownIdentity
) -> tuple[ShownIdentity, str, str, bool]:
    if outcome is None:
        return who, "", "", False
    role = outcome.roles[seat].replace("_", " ") if len(set(outcome.roles)) > 1 else ""
    payoff = number(outcome.payoffs[seat], 2).removesuffix(".00")
    return who, role, payoff, seat in outcome.winners


def _scenes(steps: Sequence[ToldStep], people: Sequence[ShownIdentity]) -> Iterator[ToldScene]:
    """Yields the steps in the words of the page; boards stand where they differ from before."""
    before: Sequence[Board] = ()
    for number_of, step in enumerate(steps, start=1):
        changed = step.boards != before
        figures = board_figures(step.boards, people, f"s{number_of}") if changed else ()
        before = step.boards
        heads = [item.words for item in step.items if isinstance(item, talk.Heading)]
        yield ToldScene(
            number_of,
            list(told_items(step.items, people)),
            [(people[vote.voter], None if vote.target is None else people[vote.target])
             for vote in step.votes],
            figures,
            plain(heads[-1], people) if heads else "",
            step.bad,
        )  # fmt: skip


def _beliefs(one: ToldMatch, people: Sequence[ShownIdentity], id: str) -> list[Figure]:
    """The last beliefs that each player noted in private."""
    last = {thought.seat: thought for thought in one.thoughts if thought.beliefs is not None}
    rows: list[list[Entry]] = []
    for seat, thought in sorted(last.items()):
        assert thought.beliefs is not None
        row: list[Entry] = [PageCell(person=people[seat])]
        for about in range(len(people)):
            share = thought.beliefs[seat][about]
            own = about == seat
            row.append("·" if own else PageCell(percent(share), style=heat_class(share)))
        rows.append(row)
    if not rows:
        return []
    titles = entries("", *(PageCell(person=who) for who in people))
    note = "The last private analysis of each player: how likely it takes each other for the one."
    return [Figure(f"{id}-beliefs", "Beliefs", note, PageTable(titles, rows))]


def told_items(
    made: Sequence[talk.TalkItem], people: Sequence[ShownIdentity]
) -> Iterator[ToldItem]:
    """Yields the items of a conversation."""
    for item in made:
        match item:
            case talk.Heading():
                yield ToldItem("heading", named(f"{item.words} {item.more}", people))
            case talk.Note():
                yield ToldItem("note", named(sentence_case(item.words), people))
            case talk.Fact():
                yield ToldItem("fact", named(" · ".join(item.columns), people), people[item.seat])
            case talk.Secret():
                words = f"{item.words} to {' '.join(map(player, item.to))}"
                yield ToldItem("secret", named(words, people))
            case talk.Said():
                yield _said(item, people)
            case talk.Aside():
                words, of = ", ".join(_asides(item)), counted(len(item.answers), "private answer")
                yield ToldItem("aside", named(words, people), extra=of, sign=item.question)
            case talk.Ballot() | talk.Approvals():
                yield from _ballot(item, people)
            case talk.Action():
                yield _action(item, people)
            case talk.Proposal():
                parts = ", ".join(
                    f"{who.name} {number(part, 1)}"
                    for who, part in zip(people, item.parts, strict=False)
                )
                reasons = _why(item.seat, item.reason, people)
                words = named(f"proposes {parts}", people)
                yield ToldItem("action", words, people[item.seat], reasons=reasons)
            case talk.Chosen():
                yield ToldItem("action", named(item.words, people), people[item.seat])
            case talk.FaultLine():
                yield ToldItem("fault", named(item.words, people), people[item.seat])
            case talk.Ending():
                whole = " · ".join([item.words, *item.details])
                yield ToldItem("ending", named(sentence_case(whole), people))


def _why(
    seat: int, reason: str, people: Sequence[ShownIdentity]
) -> list[tuple[ShownIdentity, Markup]]:
    return [(people[seat], named(reason, people, quoted=True))] if reason.strip() else []


def _said(item: talk.Said, people: Sequence[ShownIdentity]) -> ToldItem:
    about = "" if item.about is None else f"on {people[item.about].name}"
    truth = "untrue" if item.true is False else ""
    extra = " · ".join(filter(None, (about, plain(item.label, people), truth)))
    reasons = _why(item.speaker, item.reason, people)
    words, more = (
        named(part, people, quoted=True)
        for part in (item.text[:MOST_LETTERS], item.text[MOST_LETTERS:])
    )
    return ToldItem("said", words, people[item.speaker], extra, item.sign, reasons, more or None)


def _asides(item: talk.Aside) -> Iterator[str]:
    for seat, answer in item.answers:
        words = f"▸ {player(answer)}" if isinstance(answer, int) else answer or "–"
        yield f"{player(seat)} {words}"


def _ballot(
    item: talk.Ballot | talk.Approvals, people: Sequence[ShownIdentity]
) -> Iterator[ToldItem]:
    """Yields the votes for each seat, most first, with their private reasons."""
    voters = item.voters if isinstance(item.voters, int) else len(item.voters)
    head = "ballot" if isinstance(item, talk.Ballot) else "votes on the proposals"
    yield ToldItem("heading", named(f"{head} · {len(item.votes)} of {voters} in", people))
    votes_for: dict[int | None, list[talk.Vote]] = {}
    for vote in item.votes:
        votes_for.setdefault(vote.target, []).append(vote)
    for target, votes in sorted(votes_for.items(), key=lambda each: -len(each[1])):
        reasons: list[tuple[ShownIdentity, Markup]] = []
        for vote in votes:
            words = " · ".join(filter(None, (vote.declares, vote.reason)))
            reasons += _why(vote.voter, words, people)
        who = None if target is None else people[target]
        words = counted(len(votes), "vote") + ("" if who else " for nobody")
        words += f" by {' '.join(player(vote.voter) for vote in votes)}"
        squares = "■" * len(votes) + "□" * (voters - len(votes))
        yield ToldItem("vote", named(words, people), who, sign=squares, reasons=reasons)
    if isinstance(item, talk.Approvals) and item.result:
        yield ToldItem("note", named(item.result, people))


def _action(item: talk.Action, people: Sequence[ShownIdentity]) -> ToldItem:
    words = item.words
    if item.target is not None and item.target < len(people):
        words += f" {player(item.target)}"
    share = "" if item.share is None else percent(item.share)
    result = plain(item.result, people).replace("-", "−")
    extra = " · ".join(filter(None, (share, result)))
    reasons = _why(item.seat, item.reason, people)
    return ToldItem("action", named(words, people), people[item.seat], extra, item.sign, reasons)
