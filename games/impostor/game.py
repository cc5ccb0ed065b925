"""The impostor game: its words and metadata."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from parlour.games.common.errors import BadInput
from parlour.games.common.validation_messages import first_problem
from parlour.games.engine import game as metadata
from parlour.games.engine.events import Event
from parlour.games.engine.moves import player
from parlour.games.engine.talk import Ending, number_word
from parlour.games.families import word_game_words as word_game
from parlour.games.families.group_sizes import LARGER, other_words
from parlour.games.families.languages import WordPair, with_pairs
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


def ending(end: word_game.End) -> Ending:
    """The fate of the impostor, and the two words."""
    words = end.filled(_WORDS[end.ending])
    if end.ending == "false_declaration":
        words = f"{end.confessed or 'one of the majority'} stood up, but {words}"
    return Ending(words, end.pair_of_words())


def _sides(setting: Setting) -> tuple[str, ...]:
    return setting.roles("impostor", "majority")


def read_pairs(text: str, place: str) -> tuple[metadata.Frozen, ...]:
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
    records: list[metadata.Frozen] = []
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


def of_difficulty(records: Sequence[Any], variant: Any) -> tuple[metadata.Frozen, ...]:
    """The pairs of the difficulty that is played."""
    return tuple(pair for pair in records if variant.difficulty in {"all", pair.difficulty})


def _record(_number: int, pair: WordPair) -> Pair:
    majority, impostor = pair.words
    return Pair(majority_word=majority, impostor_word=impostor, difficulty=pair.tier)


def _team(event: Event) -> str:
    mates = word_game.mates_of(event.record)
    if isinstance(mates, int):
        who = f"{number_word(mates)} of the others"
    else:
        who = " and ".join(map(player, mates))
    return f"your team mate{'s are' if 'teammates' in event.record else ' is'} {who}"


GAME = metadata.Game(
    name="impostor",
    version=2,
    folder=Path(__file__).parent,
    rules=rules,
    record=Pair,
    variant=Variant,
    setting=Setting,
    texts=metadata.Texts(
        title="Impostor",
        summary="Three of four share a word; describe, vote, or declare yourself and guess it.",
        endings=ENDINGS,
        kinds={
            **word_game.KINDS,
            "rules": "how many players there are; under full disclosure also who wins when",
            "team": "who a player's team mate is, or that it has one",
            "vote": "whom a player accuses, and whether it declares itself",
        },
        sentences={**word_game.SENTENCES, "team": _team},
        told=word_game.judged,
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
        phases=word_game.PHASES,
        pending=word_game.PENDING,
        asks={
            **word_game.word_asks("impostor", "one of the majority"),
            "vote": metadata.AskTexts(
                lambda view: (
                    f"Whom do you take for {word_game.one_told('impostor', view.events)}? If"
                    " you believe that it is you, you may declare yourself and guess the word of"
                    " the others. No other player reads your reason."
                ),
                {
                    "suspect": metadata.FieldTexts("I suspect"),
                    "confidence": metadata.FieldTexts("How sure, 0 to 1"),
                    "self_declaration": metadata.FieldTexts(
                        "I declare myself", options={True: "as the impostor"}
                    ),
                    "word_guess": metadata.FieldTexts("Their word is"),
                },
            ),
        },
    ),
    seating=metadata.Seating(sides=_sides, pairing="blocks", teams=TEAMS),
    scoring=metadata.Scoring(
        roles={"impostor": 1, "majority": 1},
        special="impostor",
        # No match can end level.
        draw_probability=0.001,
    ),
    settings_file=metadata.SettingsFile(
        parse=read_pairs,
        select_records=with_pairs(Pair, Path(__file__).parent, of_difficulty, _record, read_pairs),
        # Each record is played with the impostor, or the first one, in each seat.
        expand_settings=lambda variant: [{"impostor_seat": n} for n in range(variant.players)],
    ),
    testing=metadata.Testing(
        secrets=other_words,
        further_variants=(
            *LARGER,
            {"players": 6, "assignment": "team_aware"},
            {"players": 6, "assignment": "team_semi_aware"},
            {"clue_rounds": 3, "elimination": True, "disclosure": "full"},
        ),
    ),
    hints=metadata.Hints(
        words=lambda setting: (setting.majority_word, setting.impostor_word),
        analysis=metadata.Analysis(beliefs=True, after="said"),
    ),
    counting=COUNTING,
    probes=frozenset({"own_role", "beliefs"}),
    board=word_game.votes_of("impostor"),
    talk=word_game.word_talk("impostor", ending),
)
