"""Conformance suite: checks that every game must pass, as plain functions.

    from parlour.games.testing.conformance import check_game
    check_game(GAME)

Each check plays matches by drawn answers and raises AssertionError with what does not hold, and
the setting, seed and ask. No test framework is needed. The game must be one that
``parlour.games.engine.registry`` finds, since some matches are played in other processes.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from itertools import cycle

from parlour.games.engine.dice import Dice
from parlour.games.engine.events import Event
from parlour.games.engine.game import Frozen, Game
from parlour.games.engine.moves import REASONS, Answer, Fault, FaultKind, Outcome, Record, Seat
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.testing.disclosure import check_disclosure
from parlour.games.testing.playthrough import (
    Played,
    again,
    hold,
    informed,
    openings,
    play,
    replay,
    sampled,
    stumbling,
    variants,
)
from parlour.games.testing.secrecy import (
    check_ignorance,
    check_prompts,
    check_quoting,
    check_secrets,
)

MOST_MATCHES = 100
"""Matches of each variant, in each way of answering, in which all of the metadata must occur."""


def check_game(game: Game) -> None:
    """Every check, in every variant. AssertionError with the rule, the place and the fix."""
    for check, fix in CHECKS.items():
        _run(check, fix, game)
    for variant in variants(game):
        for check_variant, fix in VARIANT_CHECKS.items():
            _run(check_variant, fix, game, variant)


def _run(check: Callable[..., None], fix: str, *arguments: object) -> None:
    try:
        check(*arguments)
    except AssertionError as problem:
        rule = (check.__doc__ or "").partition("\n")[0]
        line = f"{problem}\n  Rule: {check.__name__}: {rule}\n  Fix: {fix}"
        raise AssertionError(line) from None


def check_plays(game: Game, variant: Frozen) -> None:
    """Random legal answers end the match, as the game's metadata says that it may end.

    Every sample passes its own check, and comes back the same from the JSON that a save keeps.
    """

    def watch(table: Table) -> None:
        ask = table.pending
        assert ask is not None
        for seat in ask.seats:
            sample = sampled(table, seat)
            for answer in (sample, table.fallback(seat)):
                hold(isinstance(answer, ask.answer), table, f"{answer!r} is no {ask.answer}")
                assert isinstance(answer, Answer)
                stored = ask.answer.model_validate_json(answer.model_dump_json())
                hold(stored == answer, table, f"{answer!r} is {stored!r} after its JSON")
            judged = ask.judge(seat, sample)
            hold(judged == sample, table, f"its own sample {sample!r} is judged {judged!r}")

    for table in openings(game, variant, seeds=20):
        hold_ended(play(table, watch=watch).table)


def hold_ended(table: Table) -> None:
    """Outcome and events of a finished match agree with the game's metadata."""
    game, outcome = table.game, table.outcome
    assert outcome is not None
    hold(outcome.ending in game.texts.endings, table, f"ending {outcome.ending!r} is not explained")
    hold(outcome.sides == game.sides(table.setting), table, f"other sides: {outcome.sides}")
    for of_seats in (outcome.payoffs, outcome.roles, outcome.sides):
        hold(len(of_seats) == len(table.seats), table, f"not one entry a seat: {of_seats}")
    for role, payoff in zip(outcome.roles, outcome.payoffs, strict=True):
        hold(role in game.scoring.roles, table, f"unknown role {role!r}")
        most = game.scoring.roles[role]
        hold(most is None or 0 <= payoff <= most, table, f"{role} earns {payoff}")
    winners = set(outcome.winners)
    hold(sorted(winners) == list(outcome.winners), table, "winners are not in seat order")
    winning = {side for seat, side in enumerate(outcome.sides) if seat in winners}
    whole = {seat for seat in table.seats if outcome.sides[seat] in winning}
    hold(winners == whole, table, f"a side wins in part: {outcome}")
    hold(game.seating.pairing != "sides" or len(winning) <= 1, table, f"two sides win: {outcome}")
    for event in table.events:
        hold(event.kind in game.texts.kinds, table, f"kind {event.kind!r} is not explained")
        hold(json.loads(json.dumps(event.record)) == event.record, table, f"not JSON: {event}")
        if event.by is not None and event.kind in game.probes:
            seen = [seat for seat in table.seats if event in table.view(seat).events]
            hold(not seen, table, f"the probe's answer {event} is in the views of {seen}")


def check_reasons(game: Game, variant: Frozen) -> None:
    """An answer's reason is required, and is its first field unless the answer's class says no."""

    def watch(table: Table) -> None:
        ask = table.pending
        assert ask is not None
        for seat in ask.seats:
            schema = ask.schema(seat)
            names = list(schema["properties"])
            reasons = REASONS.intersection(names)
            first = not (reasons and ask.answer.reason_first) or names[0] in reasons
            hold(first, table, f"{ask.kind!r}: {names[0]!r} comes before the reason")
            optional = reasons.difference(schema.get("required", ()))
            hold(not optional, table, f"{ask.kind!r}: optional reasons {sorted(optional)}")

    for table in openings(game, variant, seeds=1):
        play(table, watch=watch)


def check_probes(game: Game, variant: Frozen) -> None:
    """An ask is a probe exactly when the game names its kind among its probes."""

    def watch(table: Table) -> None:
        assert table.pending is not None
        kind, probe = table.pending.kind, table.pending.probe
        hold(probe == (kind in game.probes), table, f"{kind!r}: probe is {probe}")

    for table in openings(game, variant, seeds=10):
        play(table, watch=watch)


def check_faults(game: Game, variant: Frozen) -> None:
    """A fault at every ask of every seat, and one of every kind at all asks, end in fallbacks.

    The match still ends as it may, and plays out the same when it is fed the same answers.
    """
    (table,) = openings(game, variant, seeds=1)
    places: list[tuple[FaultKind, tuple[int, Seat] | None]] = [(kind, None) for kind in FaultKind]
    kinds = cycle(FaultKind)
    for ask, given in enumerate(play(table).given):
        places += [(next(kinds), (ask, seat)) for seat in given]
    for kind, moment in places:
        played, expected = _faulted(again(table), kind, moment)
        hold_ended(played.table)
        recorded = {
            (event.ask, event.by): (event.fault, event.record)
            for event in played.table.events
            if event.fault is not None
        }
        hold(expected, played.table, f"no {kind} fault came to pass at {moment}")
        hold(recorded == expected, played.table, f"{recorded} is on record, not {expected}")
        left, right = played.transcript(), replay(again(table), played.given).transcript()
        for part in left:
            hold(left[part] == right[part], played.table, f"{part} differ when played again")


def _faulted(
    table: Table, kind: FaultKind, moment: tuple[int, Seat] | None
) -> tuple[Played, dict[tuple[int, Seat], tuple[FaultKind, Record]]]:
    """A match with a fault at one ask of one seat (None: at all), and what must be on record."""
    expected: dict[tuple[int, Seat], tuple[FaultKind, Record]] = {}

    def choose(at: Table, seat: Seat) -> object:
        if moment is not None and moment != (at.ask_number, seat):
            return sampled(at, seat)
        expected[at.ask_number, seat] = kind, at.fallback(seat).model_dump(mode="json")
        return Fault(kind)

    return play(table, choose), expected


def check_resume(game: Game, variant: Frozen) -> None:
    """Cut anywhere, also within an ask, and in any order of seats, a match goes on the same."""
    for table in openings(game, variant, seeds=3):
        played = play(table, stumbling)
        total = sum(len(given) for given in played.given)
        for cut in range(total + 1):
            resumed, left = again(table), cut
            dice = Dice("order of seats", table.seed, cut)
            for number, given in enumerate(played.given):
                for seat in dice.shuffled(list(given))[:left]:
                    same = resumed.digest() == played.digests[number]
                    hold(same, resumed, "the digest differs within a resumed match")
                    resumed.answer({seat: given[seat]})
                    left -= 1
            rest = play(resumed, stumbling)
            since = len(played.digests) - len(rest.digests)
            hold(rest.digests == played.digests[since:], resumed, "digests differ after a resume")
            hold(resumed.events == table.events, resumed, "events differ after a resume")
            hold(resumed.outcome == table.outcome, resumed, "the outcome differs after a resume")


def check_metadata(game: Game) -> None:
    """Every ending is reached, every explained kind occurs, every template is used.

    It plays until nothing is missing, and at most ``MOST_MATCHES`` of each variant in each way.
    """
    scoring, kinds = game.scoring, set(game.texts.kinds)
    templates = {path.stem for path in (game.folder / "prompts").glob("*.j2")}
    missing: dict[str, set[str]] = {
        "endings never reached": set(game.texts.endings),
        "kinds that never occur": set(kinds),
        "templates for kinds that are never asked": (templates - {"system"}) & kinds,
        "probes that are never asked": set(game.probes),
    }
    for table in _everything(game):
        assert table.outcome is not None
        asked = {event.kind for event in table.events if event.by is not None}
        missing["endings never reached"].discard(table.outcome.ending)
        missing["kinds that never occur"] -= {event.kind for event in table.events}
        missing["templates for kinds that are never asked"] -= asked
        missing["probes that are never asked"] -= asked
        if not any(missing.values()):
            break
    special = set() if scoring.special is None else {scoring.special}
    missing |= {
        "a special role that there is not": special - set(scoring.roles),
        "roles told that there are not": set(scoring.roles_told) - set(scoring.roles),
        "endings of deceit that there are not": (
            set(scoring.deception_endings) - set(game.texts.endings)
        ),
        "sentences for unexplained kinds": set(game.texts.sentences) - kinds,
        "published kinds that are not explained": set(game.texts.published) - kinds,
        "measures that another game defines otherwise": _contested_measures(game),
    }
    for problem, names in missing.items():
        if names:
            raise AssertionError(f"{game.name}: {problem}: {sorted(names)}")


def _everything(game: Game) -> Iterator[Table]:
    """Yields played matches of every variant, by drawn, faulty and informed answers."""
    for number in range(MOST_MATCHES):
        for variant in variants(game):
            for choose in (sampled, stumbling, informed):
                for table in openings(game, variant, seeds=[number]):
                    yield play(table, choose).table


def _contested_measures(game: Game) -> set[str]:
    """Names of measures that another game makes in another way."""
    own = {measure.name: measure.kind for measure in game.counting.measures}
    contested = set()
    for other in games().values():
        for measure in other.counting.measures:
            if own.get(measure.name, measure.kind) != measure.kind:
                contested.add(measure.name)
    return contested


def fingerprint(game: Game) -> str:
    """One digest of the transcripts of some matches of every variant."""
    whole = blake2b(digest_size=16)
    for variant in variants(game):
        for table in openings(game, variant, seeds=5):
            whole.update(json.dumps(play(table, stumbling).transcript()).encode())
    return whole.hexdigest()


def check_hash_seeds(game: Game) -> None:
    """Processes whose sets and dicts of strings are ordered otherwise play the same matches."""
    code = (
        "import sys\n"
        "from parlour.games.testing.conformance import fingerprint\n"
        "from parlour.games.engine.registry import games\n"
        "print(fingerprint(games()[sys.argv[1]]))"
    )
    prints = [fingerprint(game)]
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code, game.name],
            env={
                **os.environ,
                "PYTHONHASHSEED": hash_seed,
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise AssertionError(f"{game.name}: cannot be played apart: {done.stderr}")
        prints.append(done.stdout.strip())
    if len(set(prints)) > 1:
        raise AssertionError(f"{game.name}: plays differently under another hash seed: {prints}")


def check_shown(game: Game, variant: Frozen) -> None:
    """The game's sentences fit its events, and its board can be made at every moment."""
    for table in openings(game, variant, seeds=2):
        play(table, stumbling)
        for event in table.events:
            _hold_sentence(table, event)
        for shown in range(len(table.events) + 1):
            _hold_board(table, shown, None)
        _hold_board(table, len(table.events), table.outcome)


def _hold_sentence(table: Table, event: Event) -> None:
    own = table.game.texts.sentences.get(event.kind)
    try:
        text = "-" if own is None else own(event)
    except Exception as error:  # a sentence can raise anything
        hold(False, table, f"no sentence for {event}: {error!r}")
    else:
        hold(text and "\n" not in text, table, f"no sentence on one line for {event}: {text!r}")


def _hold_board(table: Table, shown: int, outcome: Outcome | None) -> None:
    try:
        boards = table.game.board(table.seats, table.events[:shown], outcome)
    except Exception as error:  # as above
        hold(False, table, f"no board after {shown} events: {error!r}")
    else:
        hold(all(board.title for board in boards), table, f"a picture has no title: {boards}")


CHECKS: Mapping[Callable[[Game], None], str] = {
    check_metadata: "correct the names in game.py (Texts, Scoring, probes), or prompts/",
    check_hash_seeds: "iterate over no set in rules.py; take chance from `dice` alone",
    check_disclosure: "correct the prompt, or the fact in disclosure.toml",
}
"""Checks of a game as a whole, each with the usual fix of what it finds."""
VARIANT_CHECKS: Mapping[Callable[[Game, Frozen], None], str] = {
    check_plays: "correct the outcome, `sample`, `fallback` and `check` of rules.py, or game.py",
    check_shown: "correct the sentence or the board of that kind of event in game.py",
    check_reasons: "let the answer's class have its reason as the first field, required",
    check_probes: "write `Ask(..., probe=True)` for exactly the kinds in `probes` of game.py",
    check_faults: "let `fallback` give a legal answer, and the rules go on with it",
    check_secrets: "tell it with `Tell(..., to=(seat,))`, and keep it out of the prompts",
    check_ignorance: "tell a secret to its own seat alone, and let no other event depend on it",
    check_prompts: "write prompts/system.j2 and one template for each kind of ask",
    check_quoting: "declare texts of players as `Text` (parlour.games.common.text), tell them as"
    ' "said" with "speaker" and "text", and show them by `{% include "said.j2" %}`',
    check_resume: "keep nothing between asks that is not in the generator; use no clock",
}
"""Checks of a game in one variant, likewise."""
