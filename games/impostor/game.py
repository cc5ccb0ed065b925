"""The impostor game: its words and metadata."""

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from parlour.games.common.errors import BadInput
from parlour.games.common.validation_messages import first_problem
from parlour.games.engine.events import Event
from parlour.games.engine.game import (
    Analysis,
    AskTexts,
    FieldTexts,
    Frozen,
    Game,
    Hints,
    Scoring,
    Seating,
    SettingsFile,
    Testing,
    Texts,
)
from parlour.games.engine.moves import Seat, player
from parlour.games.engine.talk import Ending, number_word
from parlour.games.families.group_sizes import LARGER
from parlour.games.families.languages import WordPair, with_pairs
from parlour.games.families.word_game_words import (
    KINDS,
    PENDING,
    PHASES,
    SENTENCES,
    End,
    has_several,
    judged,
    mates_of,
    one_of,
    votes_of,
    word_asks,
    word_talk,
)
from parlour.games.impostor.counting import COUNTING
from parlour.games.impostor.rules import ENDINGS, TEAMS, Pair, Setting, Tier, Variant, rules

_WORDS = {
    "impostor_guessed": "{found} stood up and named the word",
    "impostor_misguessed": "{found} stood up and guessed wrong",
    "false_declaration": "{names} {are} {all}",
    "convicted": "{found} is caught: at least two of the others named the impostor",
    "sole_suspect": "{found} is caught: most of the votes named the impostor",
    "tie": "the vote is split, and {names} {get} away as {all}",
    "escaped": "{names} {get} away as {all}",
}


def ending(end: End) -> Ending:
    """The fate of the impostor, and the two words."""
    words = end.filled(_WORDS[end.ending])
    if end.ending == "false_declaration":
        words = f"{end.confessed or 'one of the majority'} stood up, but {words}"
    return Ending(words, end.pair_of_words())


def _sides(setting: Setting) -> tuple[str, ...]:
    return setting.roles("impostor", "majority")


def _secrets(setting: Setting) -> tuple[tuple[str, ...], ...]:
    """A seat must not see the word of the other side."""
    return tuple(
        (setting.majority_word,) if side == "impostor" else (setting.impostor_word,)
        for side in _sides(setting)
    )


def read_pairs(text: str, place: str) -> tuple[Frozen, ...]:
    """Pairs from a settings file: an object of tiers, each an array of [majority, impostor].

    Raises BadInput naming the place, the tier and the pair's number in it (from 1).
    """
    try:
        tiers = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(place, f"is not JSON ({error})", "fix it at that line") from None
    known = list(Tier.__args__)  # type: ignore[attr-defined]
    fix = f'give an object with tiers of {", ".join(known)}: {{"easy": [["a", "b"], ...]}}'
    if not isinstance(tiers, dict) or not tiers:
        raise BadInput(place, "holds no tiers", fix)
    records: list[Frozen] = []
    for tier, pairs in tiers.items():
        if tier not in known or not isinstance(pairs, list):
            raise BadInput(f"{place}, tier {tier!r}", "is not a tier of pairs", fix)
        for number, pair in enumerate(pairs, start=1):
            where = f"{place}, tier {tier!r}, pair {number}"
            fix_pair = 'give two words: ["majority word", "impostor word"]'
            if not isinstance(pair, list) or len(pair) != 2:
                raise BadInput(where, f"{str(pair)[:60]} is not a pair", fix_pair)
            majority, impostor = pair
            try:
                records.append(
                    Pair(majority_word=majority, impostor_word=impostor, difficulty=tier)
                )
            except ValidationError as error:
                field, problem = first_problem(error)
                raise BadInput(f"{where}{field}", problem, fix_pair) from None
    if not records:
        raise BadInput(place, "holds no pairs", fix)
    return tuple(records)


def of_difficulty(records: Sequence[Frozen], variant: Frozen) -> tuple[Frozen, ...]:
    """The pairs of the difficulty that is played."""
    difficulty = variant.model_dump()["difficulty"]
    return tuple(
        record
        for record in records
        if difficulty == "all" or record.model_dump()["difficulty"] == difficulty
    )


def _record(_number: int, pair: WordPair) -> Pair:
    majority, impostor = pair.words
    return Pair(majority_word=majority, impostor_word=impostor, difficulty=pair.tier)


def _team(event: Event) -> str:
    mates = mates_of(event.record)
    if isinstance(mates, int):
        who = f"{number_word(mates)} of the others"
    else:
        who = " and ".join(map(player, mates))
    return f"your team mate{'s are' if 'teammates' in event.record else ' is'} {who}"


def _with_seats(variant: Variant) -> tuple[dict[str, Seat], ...]:
    """Each record is played with the impostor, or the first one, in each seat."""
    return tuple({"impostor_seat": Seat(seat)} for seat in range(variant.players))


GAME = Game(
    name="impostor",
    version=2,
    folder=Path(__file__).parent,
    rules=rules,
    record=Pair,
    variant=Variant,
    setting=Setting,
    texts=Texts(
        title="Impostor",
        summary="Three of four share a word; describe, vote, or declare yourself and guess it.",
        endings=ENDINGS,
        kinds={
            **KINDS,
            "rules": "how many players there are; under full disclosure also who wins when",
            "team": "who a player's team mate is, or that it has one",
            "vote": "whom a player accuses, and whether it declares itself",
        },
        sentences={**SENTENCES, "team": _team},
        told=judged,
        published=frozenset({"clue", "talk"}),
        family="bluff",
        short_endings={
            "impostor_guessed": "named the word",
            "impostor_misguessed": "guessed wrong",
            "false_declaration": "false confession",
            "convicted": "impostor caught",
            "sole_suspect": "impostor caught",
            "tie": "split vote",
            "escaped": "impostor escaped",
        },
        phases=PHASES,
        pending=PENDING,
        asks={
            **word_asks("impostor", "one of the majority"),
            "vote": AskTexts(
                lambda view: (
                    f"Whom do you take for {one_of('impostor', has_several(view.events))}? If you"
                    " believe that it is you, you may declare yourself and guess the word of the"
                    " others. No other player reads your reason."
                ),
                {
                    "suspect": FieldTexts("I suspect"),
                    "confidence": FieldTexts("How sure, 0 to 1"),
                    "self_declaration": FieldTexts(
                        "I declare myself", options={True: "as the impostor"}
                    ),
                    "word_guess": FieldTexts("Their word is"),
                },
            ),
        },
    ),
    seating=Seating(sides=_sides, pairing="blocks", teams=TEAMS),
    scoring=Scoring(
        roles={"impostor": 1, "majority": 1},
        special="impostor",
        # No match can end level.
        draw_probability=0.001,
    ),
    settings_file=SettingsFile(
        parse=read_pairs,
        select_records=with_pairs(Pair, Path(__file__).parent, of_difficulty, _record, read_pairs),
        expand_settings=_with_seats,
    ),
    testing=Testing(
        secrets=_secrets,
        further_variants=(
            *LARGER,
            {"players": 6, "assignment": "team_aware"},
            {"players": 6, "assignment": "team_semi_aware"},
            {"clue_rounds": 3, "elimination": True, "disclosure": "full"},
        ),
    ),
    hints=Hints(
        words=lambda setting: (setting.majority_word, setting.impostor_word),
        analysis=Analysis(beliefs=True, after="said"),
    ),
    counting=COUNTING,
    probes=frozenset({"own_role", "beliefs"}),
    board=votes_of("impostor"),
    talk=word_talk("impostor", ending),
)
