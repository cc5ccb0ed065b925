"""Matches told in full: the cast, the talk as items of the page, the boards and the beliefs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from shlex import quote

from markupsafe import Markup

from parlour.games.common.forms import percent
from parlour.games.engine import talk
from parlour.games.engine.moves import player
from parlour.games.engine.transcript import counted, sentence, transcript
from parlour.site.boards import board_figures, heat_class
from parlour.site.figures import Cell, Entry, Figure, Table, entries, number
from parlour.site.forests import title_of
from parlour.site.frame import Frame, render
from parlour.site.source import Source, ToldMatch, read_told
from parlour.site.wording import named, plain
from parlour.tui.look.cast import Identity

MOST_ITEMS = 400
"""The most items of a talk on the page; the replay has all."""


@dataclass(frozen=True, slots=True)
class Told:
    """An item of a talk on the page.

    ``kind`` is its class. ``who`` speaks or acts, ``words`` are in names, ``extra`` stands at the
    right, ``reasons`` are private, each with the one who gives it.
    """

    kind: str
    words: Markup
    who: Identity | None = None
    extra: str = ""
    sign: str = ""
    reasons: Sequence[tuple[Identity, Markup]] = ()


@dataclass(frozen=True, slots=True)
class Story:
    """A match on a page; ``cast`` has who sits where, with role and payoff."""

    id: str
    why: str
    title: str
    ending: str
    cast: Sequence[Sequence[str | Cell]]
    items: Sequence[Told]
    left_out: int
    figures: Sequence[Figure]
    command: str
    problem: str = ""

    @property
    def cast_table(self) -> Table:
        """The table of the players."""
        titles = ("Seat", "Agent", "Role", "Result", "Payoff")
        return Table(titles, self.cast, lead=4)


def match_page(source: Source, frame: Frame, number: int, why: str) -> bytes:
    """The page of a match, told; ``why`` is the reason for which it was picked, if it was."""
    story = _story(source, read_told(source.path, number), why)
    address = f"match/{number}/"
    return render("match.html.j2", frame, address, "matches", story.title, story=story)


def _story(source: Source, one: ToldMatch, why: str) -> Story:
    match, table = one.match, one.table
    people = source.cast.seats(match.agents)
    game = source.tournament.games[match.entry].game
    outcome = match.outcome
    id = f"match-{match.number}"
    items: list[Told] = []
    figures: list[Figure] = []
    if table is not None:
        made = game.talk(table.seats, table.events, table.outcome)
        items = list(told_items(made, people)) if made else [
            Told("note", named(sentence(game, event), people))
            for event in transcript(game, table.events)
        ]  # fmt: skip
        figures = board_figures(game.board(table.seats, table.events, table.outcome), people, id)
        figures += _beliefs(one, people, id)
    ending = ""
    rows: list[list[Entry]] = []
    if outcome is not None:
        words = game.texts.endings.get(outcome.ending, outcome.ending)
        ending = f"{words[:1].upper()}{words[1:]}."
        for seat, who in enumerate(people):
            won = "won" if seat in outcome.winners else ""
            role = outcome.roles[seat].replace("_", " ")
            payoff = number(outcome.payoffs[seat], 2)
            rows.append([player(seat), Cell(person=who), role, won, payoff])
    return Story(
        id=id,
        why=why,
        title=f"{title_of(match.game)}, match {match.number}",
        ending=ending,
        cast=rows,
        items=items[:MOST_ITEMS],
        left_out=max(0, len(items) - MOST_ITEMS),
        figures=figures,
        command=f"parlour replay {quote(source.path.name)} {match.number}",
        problem=one.problem,
    )


def _beliefs(one: ToldMatch, people: Sequence[Identity], id: str) -> list[Figure]:
    """The last beliefs that each player noted in private."""
    last = {thought.seat: thought for thought in one.thoughts if thought.beliefs is not None}
    rows: list[list[Entry]] = []
    for seat, thought in sorted(last.items()):
        assert thought.beliefs is not None
        row: list[Entry] = [Cell(person=people[seat])]
        for about in range(len(people)):
            share = thought.beliefs[seat][about]
            own = about == seat
            row.append("·" if own else Cell(percent(share), style=heat_class(share)))
        rows.append(row)
    if not rows:
        return []
    titles = entries("", *(Cell(person=who) for who in people))
    note = "The last private analysis of each player: how likely it takes each other for the one."
    return [Figure(f"{id}-beliefs", "Beliefs", note, Table(titles, rows))]


def told_items(made: Sequence[talk.TalkItem], people: Sequence[Identity]) -> Iterator[Told]:
    """Yields the items of a conversation."""
    for item in made:
        match item:
            case talk.Heading():
                yield Told("heading", named(f"{item.words} {item.more}", people))
            case talk.Note():
                yield Told("note", named(item.words, people))
            case talk.Fact():
                yield Told("fact", named(" · ".join(item.columns), people), people[item.seat])
            case talk.Secret():
                to = " ".join(people[seat].letters for seat in item.to)
                yield Told("secret", named(item.words, people), extra=f"to {to}")
            case talk.Said():
                yield _said(item, people)
            case talk.Aside():
                yield Told("secret", named(item.question, people), extra=_asides(item, people))
            case talk.Ballot() | talk.Approvals():
                yield from _ballot(item, people)
            case talk.Action():
                yield _action(item, people)
            case talk.Proposal():
                parts = ", ".join(
                    f"{who.name} {number(part, 1)}"
                    for who, part in zip(people, item.parts, strict=False)
                )
                words = named(f"proposes {parts}", people)
                yield Told(
                    "action", words, people[item.seat], reasons=_why(item.seat, item.reason, people)
                )
            case talk.Chosen():
                yield Told("action", named(item.words, people), people[item.seat])
            case talk.FaultLine():
                yield Told("fault", named(item.words, people), people[item.seat])
            case talk.Ending():
                whole = " · ".join([item.words, *item.details])
                yield Told("ending", named(whole, people))


def _why(seat: int, reason: str, people: Sequence[Identity]) -> list[tuple[Identity, Markup]]:
    return [(people[seat], named(reason, people, quoted=True))] if reason.strip() else []


def _said(item: talk.Said, people: Sequence[Identity]) -> Told:
    about = "" if item.about is None else f"on {people[item.about].name}"
    truth = "untrue" if item.true is False else ""
    extra = " · ".join(filter(None, (about, plain(item.label, people), truth)))
    words = named(item.text, people, quoted=True)
    reasons = _why(item.speaker, item.reason, people)
    return Told("said", words, people[item.speaker], extra, item.sign, reasons)


def _asides(item: talk.Aside, people: Sequence[Identity]) -> str:
    answers = []
    for seat, answer in item.answers:
        words = "–" if answer is None else str(answer)
        if isinstance(answer, int):
            words = f"▸ {people[answer].letters}" if answer < len(people) else words
        answers.append(f"{people[seat].letters} {plain(words, people)}")
    return "   ".join(answers)


def _ballot(item: talk.Ballot | talk.Approvals, people: Sequence[Identity]) -> Iterator[Told]:
    """Yields the votes for each seat, most first, with their private reasons."""
    voters = item.voters if isinstance(item.voters, int) else len(item.voters)
    head = "ballot" if isinstance(item, talk.Ballot) else "votes on the proposals"
    yield Told("heading", named(f"{head} · {len(item.votes)} of {voters} in", people))
    votes_for: dict[int | None, list[talk.Vote]] = {}
    for vote in item.votes:
        votes_for.setdefault(vote.target, []).append(vote)
    for target, votes in sorted(votes_for.items(), key=lambda each: -len(each[1])):
        by = " ".join(people[vote.voter].letters for vote in votes)
        reasons: list[tuple[Identity, Markup]] = []
        for vote in votes:
            words = " · ".join(filter(None, (vote.declares, vote.reason)))
            reasons += _why(vote.voter, words, people)
        who = None if target is None else people[target]
        words = counted(len(votes), "vote") + ("" if who else " for nobody")
        yield Told("vote", named(words, people), who, f"by {by}", reasons=reasons)
    if isinstance(item, talk.Approvals) and item.result:
        yield Told("note", named(item.result, people))


def _action(item: talk.Action, people: Sequence[Identity]) -> Told:
    words = item.words
    if item.target is not None and item.target < len(people):
        words += f" {player(item.target)}"
    share = "" if item.share is None else percent(item.share)
    extra = " · ".join(filter(None, (share, plain(item.result, people))))
    reasons = _why(item.seat, item.reason, people)
    return Told("action", named(words, people), people[item.seat], extra, item.sign, reasons)
