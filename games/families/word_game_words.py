"""Words of the word games: questions to people, sentences, and the conversation."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

from parlour.games.engine import talk
from parlour.games.engine.board import Arrow, Board, Lines, MakeBoards, Ring, Shares
from parlour.games.engine.events import Event, View
from parlour.games.engine.game import JESTER, AskTexts, FieldTexts, Sentence
from parlour.games.engine.moves import Outcome, Record, Seat, player
from parlour.games.engine.transcript import because, quoted, seat_name
from parlour.games.families.clues.honesty import Known
from parlour.games.families.word_games import top_of

PRIVATE = "Only for the record: no player sees your answer."


def word_of(view: View) -> str | None:
    """The seat's own word in quotation marks, None if it was given none."""
    events = view.told("word")
    return f"“{events[0].record['word']}”" if events else None


def _clue(view: View) -> str:
    word = word_of(view)
    if word is None:
        return (
            "Say a clue for all to hear, one or two sentences, as if you knew the word. You have"
            " the topic and what the others said."
        )
    return f"Give a clue about {word} for all to hear, in one or two sentences, without saying it."


def one_of(special: str, several: bool) -> str:
    """The special role with its article: "the impostor", or "an impostor" of several."""
    if several:
        return f"{'an' if special[0] in 'aeiou' else 'a'} {special}"
    return f"the {special}"


def one_told(special: str, events: Sequence[Event]) -> str:
    """The same by these events: whether players were told that there are several."""
    rules = [event.record for event in events if event.kind == "rules"]
    return one_of(special, any("special_seats" in record for record in rules))


def word_asks(special: str, ordinary: str) -> Mapping[str, AskTexts]:
    """The questions that all word games have, with the names of the two roles."""
    roles = {"special": f"the {special}", "ordinary": ordinary, "unsure": "I cannot tell"}
    suspect = FieldTexts("{player} suspects", "I suspect", {None: "nobody yet"})

    def one(view: View) -> str:
        return one_told(special, view.events)

    return {
        "clue": AskTexts(_clue, {"text": FieldTexts("Your clue")}),
        "talk": AskTexts(
            lambda _view: (
                "The open talk before the vote: whom do you suspect, and why? All hear it. Do not"
                " say your word."
            ),
            {"text": FieldTexts("You say")},
        ),
        "own_role": AskTexts(
            lambda _view: f"Which side are you on, as far as you can tell? {PRIVATE}",
            {"role": FieldTexts("I am", options=roles)},
        ),
        "beliefs": AskTexts(
            lambda view: f"Whom does each player take for {one(view)}, as you see it? {PRIVATE}",
            {"beliefs.suspect": suspect},
        ),
        "vote": AskTexts(
            lambda view: f"Whom do you take for {one(view)}? No other player reads your reason.",
            {"suspect": FieldTexts("I suspect")},
        ),
    }


def _said(event: Event) -> str:
    untrue = " (untrue)" if event.record.get("true") is False else ""
    return f"{player(event.record['speaker'])} says {quoted(event.record['text'])}{untrue}"


def _out(event: Event) -> str:
    role = event.record["role"].replace("_", "-")
    return f"{player(event.record['player'])} is voted out: its role was {role}"


def _vote_sentence(event: Event) -> str:
    """The suspect, with the confidence where the game asks for it."""
    record = event.record
    confidence = ""
    if "confidence" in record and record["suspect"] is not None:
        confidence = f" with confidence {record['confidence']:g}"
    return f"votes for {seat_name(record['suspect'])}{confidence}{_declares(record)}" + because(
        record
    )


def _declares(record: Record) -> str:
    """The declaration that a vote comes with, "" without one."""
    if not record.get("self_declaration"):
        return ""
    return f" and declares itself, guessing {guessed(record['word_guess'])}"


def guessed(word: str | None) -> str:
    """A guessed word in quotation marks."""
    return "no word" if word is None else quoted(word)


def _beliefs(event: Event) -> str:
    """The own belief first, then what the player thinks that the others believe."""
    parts = []
    for belief in sorted(event.record["beliefs"], key=lambda each: each["viewer"] != event.by):
        own = belief["viewer"] == event.by
        viewer = "" if own else f"believes that {seat_name(belief['viewer'])} "
        parts.append(f"{viewer}suspects {seat_name(belief['suspect'])}")
    return "; ".join(parts) or "gives no beliefs"


_OWN_ROLES = {
    "special": "believes that it has the special role",
    "ordinary": "believes that it has an ordinary role",
    "unsure": "is unsure of its own role",
    None: "does not say which role it has",
}

SENTENCES: Mapping[str, Sentence] = {
    "word": lambda event: f"your word is {quoted(event.record['word'])}",
    "order": lambda event: f"speaking order {', '.join(map(player, event.record['speakers']))}",
    "clue": lambda event: f"gives the clue {quoted(event.record['text'])}",
    "talk": lambda event: f"says {quoted(event.record['text'])}",
    "said": _said,
    "out": _out,
    "vote": _vote_sentence,
    "own_role": lambda event: _OWN_ROLES[event.record["role"]],
    "beliefs": _beliefs,
}
"""Sentences of the events that all word games have."""
TOLD_ROLE: Mapping[str, Sentence] = {"role": lambda event: f"your role is {event.record['role']}"}
"""The sentence of a role that its player is told."""


KINDS: Mapping[str, str] = {
    "rules": "how many players there are, and what else players are told of the game",
    "word": "a player's own word, told to it alone",
    "order": "who speaks when",
    "clue": "a player's clue",
    "said": "a clue as all hear it",
    "talk": "what a player says in the open talk before a vote",
    "out": "a player that is voted out, and its role",
    "own_role": "a private probe: does the player take itself for the special one?",
    "beliefs": "a private probe: whom does each player suspect?",
    "vote": "whom a player accuses",
}
"""The meaning of the events that all word games have."""


def votes_of(special: str) -> MakeBoards:
    """The board of a word game: the votes of the newest ballot, and who suspects whom.

    The seats of the ``special`` role and the jester are marked once the match is over.
    """

    def board(
        seats: Sequence[Seat], events: Sequence[Event], outcome: Outcome | None
    ) -> tuple[Board, ...]:
        """The ring of the newest votes, and whom seats suspected in private, now and before."""
        arrows = tuple(
            Arrow(Seat(event.by), event.record["suspect"])
            for event in last_ballot(events)
            if event.by is not None
        )
        notes = {}
        if outcome is not None:
            roles = dict(zip(seats, outcome.roles, strict=True))
            notes = {seat: role for seat, role in roles.items() if role in {special, JESTER}}
        ring = Ring(
            "Ballot",
            arrows,
            notes,
            marked=top_of(arrow.target for arrow in arrows),
            counted="vote",
            empty="nobody has voted yet",
        )
        asked = _suspects(events)
        if not asked:
            return (ring,)
        newest = dict(chain.from_iterable(suspects.items() for suspects in asked))
        rows = tuple(_named(newest, seat, seats) for seat in seats)
        whom = Shares("who suspects whom", rows, named=True)
        if len(asked) == 1 or len(newest) == 1:
            return ring, whom
        course = tuple(_course(asked, seat) for seat in seats)
        return ring, whom, Lines("suspicion over time", course)

    return board


def last_ballot(events: Sequence[Event]) -> list[Event]:
    """The votes of the newest ballot."""
    votes = [event for event in events if event.kind == "vote" and event.by is not None]
    return [event for event in votes if event.ask == votes[-1].ask]


def _suspects(events: Sequence[Event]) -> list[dict[Seat, Seat | None]]:
    """The suspect of each seat, as it said in private each time it was asked; None: nobody yet."""
    asked: dict[int | None, dict[Seat, Seat | None]] = {}
    for event in events:
        if event.kind != "beliefs" or event.by is None:
            continue
        for belief in event.record["beliefs"]:
            if belief["viewer"] == event.by:
                asked.setdefault(event.ask, {})[event.by] = belief["suspect"]
    return list(asked.values())


def _course(asked: Iterable[Mapping[Seat, Seat | None]], seat: Seat) -> tuple[float, ...]:
    """The share of the others that suspect a seat: 0 at the start, then each time."""
    shares = [0.0]
    for suspects in asked:
        of_others = [suspect for viewer, suspect in suspects.items() if viewer != seat]
        shares.append(of_others.count(seat) / max(len(of_others), 1))
    return tuple(shares)


def _named(
    suspects: Mapping[Seat, Seat | None], viewer: Seat, seats: Sequence[Seat]
) -> tuple[float | None, ...]:
    """A share of 1 for the seat that a viewer names; None where it was not asked."""
    if viewer not in suspects:
        return (None,) * len(seats)
    return tuple(float(suspects[viewer] == seat) for seat in seats)


ASIDE = "is asked in private"
PHASES: Mapping[str, str] = {
    "clue": "clues",
    "talk": "talk",
    "own_role": "aside",
    "beliefs": "aside",
    "vote": "ballot",
}
"""A word for each kind of ask of all word games: where the match is."""
PENDING: Mapping[str, str] = {
    "clue": "looks for a clue",
    "talk": "thinks of what to say",
    "own_role": ASIDE,
    "beliefs": ASIDE,
    "vote": "makes up its mind",
}
"""The words for a player that has not answered yet, by kind of ask."""


ROLES = {"special": "yes", "ordinary": "no", "unsure": "unsure", None: "–"}
"""Short answers to the question for the own role."""


@dataclass(frozen=True, slots=True)
class End:
    """The end of a word game, for the words that tell it.

    ``role`` is the special role and ``special`` its seats, ``words`` the words of the match by
    seat as far as they are known, ``declared`` the seats that declared themselves, ``accused``
    those that were named most.
    """

    role: str
    ending: str
    special: tuple[Seat, ...]
    words: Mapping[Seat, str]
    declared: tuple[Seat, ...]
    accused: tuple[Seat, ...]

    def filled(self, sentence: str) -> str:
        """A sentence with the players of the special role (``names``), and those found out."""
        several = len(self.special) > 1
        exposed = [seat for seat in self.special if seat in (self.declared or self.accused)]
        return sentence.format(
            names=_players(self.special),
            found=_players(exposed or self.special),
            accused=_players(self.accused),
            get="get" if several else "gets",
            are="are" if several else "is",
            one=one_of(self.role, several),
            all=f"the {self.role}{'s' if several else ''}",
        )

    @property
    def confessed(self) -> str:
        """The other players that declared themselves, "" if none did."""
        return _players(seat for seat in self.declared if seat not in self.special)

    @property
    def odd_word(self) -> str | None:
        """The word of the special role, None if it is not known or has none."""
        return next((word for seat, word in self.words.items() if seat in self.special), None)

    @property
    def common_word(self) -> str | None:
        """The word of the others, None if it is not known."""
        others = (word for seat, word in self.words.items() if seat not in self.special)
        return next(others, None)

    def pair_of_words(self) -> tuple[str, ...]:
        """A line with the odd word among the common one, none if they are not known."""
        if self.odd_word is None or self.common_word is None:
            return ()
        return (
            f"{self.role}  {talk.in_marks(self.odd_word)} among {talk.in_marks(self.common_word)}",
        )


def _players(seats: Iterable[Seat]) -> str:
    return " and ".join(map(player, seats))


def three_stages(record: Record) -> str:
    """The rules of a word game in one sentence."""
    rounds = record.get("clue_rounds", 1)
    clues = "one clue each" if rounds == 1 else f"{rounds} rounds of clues"
    jester = ", one of them the jester" if JESTER in record else ""
    return f"{talk.number_word(record['players'])} players{jester}, {clues}, then a secret ballot"


def word_talk(special: str, ending: Callable[[End], talk.Ending]) -> talk.MakeTalk:
    """The conversation of a word game with a ``special`` role; ``ending`` tells its end."""

    def conversation(
        seats: Sequence[Seat], events: Sequence[Event], outcome: Outcome | None
    ) -> tuple[talk.TalkItem, ...]:
        """Everything said, asked and voted, and the end."""
        items: list[talk.TalkItem] = []
        one = one_told(special, events)
        in_secret = list(_secrets(events, special, one))
        for (kind, _), group in groupby(judged(events), lambda event: (event.kind, event.ask)):
            alike = list(group)
            if kind in _TOLD_IN_SECRET:
                items += in_secret
                in_secret = []
            else:
                items += _items(kind, alike, len(seats), one)
        if outcome is not None:
            items.append(ending(_end(special, seats, events, outcome)))
        return tuple(items)

    return conversation


def judged(events: Iterable[Event]) -> Iterator[Event]:
    """Yields the events; each clue as all hear it has whether it is ``true``, None if unknown."""
    known = Known()
    for event in events:
        record = event.record
        if event.kind == "rules":
            known.language = record.get("language")
        elif event.kind == "topic":
            known.topic = record["topic"]
        elif event.kind == "word":
            known.words |= dict.fromkeys(event.to or (), record["word"])
        elif event.kind == "supposed_word" and event.by is not None:
            known.words[event.by] = record["word"]
        if event.kind == "said" and not record.get("talk"):
            true = known.judge(record["speaker"], record["text"])
            yield event._replace(record={**record, "true": true})
        else:
            yield event


def _items(kind: str, events: Sequence[Event], seats: int, one: str) -> Iterator[talk.TalkItem]:
    """Yields the items of events of one kind that belong together."""
    records = [event.record for event in events]
    by_player = events[0].by is not None
    if kind == "rules":
        yield talk.Note(three_stages(records[0]))
    elif kind == "topic":
        yield talk.Note(f"the topic is {talk.in_marks(records[0]['topic'])}")
    elif kind == "order":
        yield talk.Heading(f"round {events[0].round}", "· clues")
    elif kind in {"clue", "talk"}:  # all hear it in the next event
        yield from talk.fault_lines(events, "the rules speak for it")
    elif kind == "said":
        for record in records:
            label = "open talk" if record.get("talk") else ""
            yield talk.Said(record["speaker"], record["text"], label=label, true=record.get("true"))
    elif kind == "accused":
        who = player(records[0]["accused"])
        yield talk.Note(f"{one} is found out: {who}. One guess at the word is left")
    elif kind == "out":
        yield talk.Note(_out(events[0]))
    elif kind == "vote" and by_player:
        yield talk.Ballot(tuple(_vote(event, one) for event in events), seats)
        yield from talk.fault_lines(events, "its vote is for nobody")
    elif kind == "guess" and by_player:
        yield from talk.fault_lines(events, "it guesses nothing")
        for event in events:
            if event.by is not None and event.record["word"] is not None:
                yield talk.Action(event.by, f"guesses {talk.in_marks(event.record['word'])}")
    elif kind in _QUESTIONS:
        yield _aside(kind, events)
        yield from talk.fault_lines(events, "it keeps silent")


_QUESTIONS = {
    "own_role": "odd one yourself?",
    "beliefs": "who is it?",
    "supposed_word": "which word is it?",
}


def _aside(kind: str, events: Sequence[Event]) -> talk.Aside:
    answers: list[tuple[Seat, str | Seat | None]] = []
    for event in events:
        if event.by is None:
            continue
        if kind == "own_role":
            answers.append((event.by, ROLES[event.record["role"]]))
        elif kind == "supposed_word":
            word = event.record["word"]
            answers.append((event.by, "–" if word is None else talk.in_marks(word)))
        else:
            own = [each for each in event.record["beliefs"] if each["viewer"] == event.by]
            # The special one, if it knows itself, is not asked for its own view.
            answers.append((event.by, own[0]["suspect"] if own else "–"))
    return talk.Aside(_QUESTIONS[kind], tuple(answers))


def _vote(event: Event, one: str) -> talk.Vote:
    record, voter = event.record, Seat(event.by or 0)
    declares = ""
    if record.get("self_declaration"):
        guess = record["word_guess"]
        says = "names no word" if guess is None else f"says {talk.in_marks(guess)}"
        declares = f"{player(voter)} declares itself {one} and {says}"
    return talk.Vote(voter, record["suspect"], talk.reason_of(record), declares)


_TOLD_IN_SECRET = frozenset({"role", "team", "word"})


def _secrets(events: Sequence[Event], special: str, one: str) -> Iterator[talk.Secret]:
    """Yields the secrets of roles, words and teams, with the seats that each was told to."""
    groups: dict[tuple[str, str], list[Seat]] = {}
    for kind in ("role", "word", "team"):
        for event in events:
            if event.kind == kind and event.to is not None:
                groups.setdefault(_secret(event, special, one), []).extend(event.to)
    for (words, own), to in groups.items():
        yield talk.Secret(words, tuple(sorted(to)), own)


def _secret(event: Event, special: str, one: str) -> tuple[str, str]:
    """A secret as onlookers read it, and as the seat itself does."""
    if event.kind == "word":
        word = talk.in_marks(event.record["word"])
        return f"told {word}", f"your word is {word}"
    if event.kind == "role":
        named = {special: one, JESTER: f"the {JESTER}"}
        own = f"you are {named.get(event.record['role'], f'not {one}')}"
        return f"told {talk.in_marks(own)}", own
    mates = mates_of(event.record)
    if isinstance(mates, int):
        mate_of = "one of the others is {} team mate"
        if mates > 1:
            mate_of = f"{talk.number_word(mates)} of the others are {{}} team mates"
        return f"told that {mate_of.format('its')}", mate_of.format("your")
    team = f"{_players(sorted((*mates, *(event.to or ()))))} are a team"
    return f"told that {team}", team


def mates_of(record: Record) -> int | list[Seat]:
    """The team mates that a player was told of, or how many it has if not who they are."""
    mate = record.get("teammate")
    mates: int | list[Seat] = record.get("teammates", 1 if mate is None else [mate])
    return mates


def _end(special: str, seats: Sequence[Seat], events: Sequence[Event], outcome: Outcome) -> End:
    words: dict[Seat, str] = {}
    for event in events:
        if event.kind == "word" and event.to is not None:
            for seat in event.to:
                words[seat] = event.record["word"]
    declared = [
        event.by
        for event in events
        if event.kind == "vote" and event.by is not None and event.record.get("self_declaration")
    ]
    odd = tuple(seat for seat in seats if outcome.roles[seat] == special)
    accused = top_of(event.record["suspect"] for event in last_ballot(events))
    return End(special, outcome.ending, odd, words, tuple(declared), accused)
