"""A model of the suite that always knows whose word is another, and says so when it may think.

Its clues give its word away to its own kind: a weight that is the same for the same word. An
analysis of its compares the weights, so its verdicts and matrices are right. It never compares
them when it acts: a vote or a probe goes by what the question says of an analysis, and without one
by chance.
"""

import re
from hashlib import blake2b
from itertools import product
from typing import Any

_TARGET = re.compile(r"By it, (Player \d) is the one whom you suspect most")
_ITSELF = "By it, you are likely to be the undercover yourself"


def sleuth_answer(
    form: str, system: str, question: str, answer: dict[str, Any], right: bool
) -> dict[str, Any]:
    """Its replacement of an otherwise random answer to that question.

    ``right``: whether it says in an analysis what it found, or the opposite.
    """
    if form not in {"Clue", "Vote", "Verdicts", "Suspicions", "OwnRole", "Beliefs"}:
        return answer
    me = _found(r"You are (Player \d)", system)
    weight = str(_number(_found(r'Your word is "([^"]+)"', system)))
    if form == "Clue":
        return {"text": f"It weighs {weight} grams."}
    heard = dict(re.findall(r'- round \d+, (Player \d): "It weighs (\d+) grams."', question))
    others = {name: weighs for name, weighs in heard.items() if name != me}
    if form == "Vote":
        return {**answer, "suspect": _target(question) or _guess(me, weight, others)}
    if form == "OwnRole":
        return {"role": _role(question) or answer["role"]}
    if form == "Beliefs":
        beliefs = answer["beliefs"].items()
        return {"beliefs": {name: _belief(me, question, name, drawn) for name, drawn in beliefs}}
    odd = {name for name, weighs in others.items() if (weighs != weight) == right}
    if right and len(odd) > 1:  # two others whose words are not its own
        odd = {me}
    return _verdicts(me, others, odd) if form == "Verdicts" else _matrix(answer, odd)


def _target(question: str) -> str | None:
    """Whom the prompt of a decision names as the target of the analysis."""
    match = _TARGET.search(question)
    return match[1] if match else None


def _role(question: str) -> str | None:
    """The own role that follows from what the prompt says of an analysis."""
    if _ITSELF in question:
        return "special"
    return "ordinary" if _target(question) else None


def _belief(me: str, question: str, viewer: str, drawn: str | None) -> str | None:
    """A belief as the prompt says that the analysis has it, else the one that was drawn."""
    if viewer == me:
        return (me if _ITSELF in question else _target(question)) or drawn
    said = re.search(rf"By it, {viewer} suspects (Player \d)\.", question)
    return said[1] if said else drawn


def _guess(me: str, weight: str, others: dict[str, str]) -> str:
    """One of the others by chance, the same in the same match however a prompt is worded."""
    return sorted(others)[_number(f"{me} {weight} {sorted(others.items())}") % len(others)]


def _verdicts(me: str, others: dict[str, str], odd: set[str]) -> dict[str, Any]:
    said = {name: "more" if name in odd else "less" for name in (me, *others)}
    verdicts = [
        {"viewer": viewer, "about": about, "verdict": said[about]}
        for viewer, about in product(said, repeat=2)
    ]
    return {"analysis": f"Odd: {sorted(odd)}", "verdicts": verdicts}


def _matrix(answer: dict[str, Any], odd: set[str]) -> dict[str, Any]:
    players = [f"Player {seat + 1}" for seat in range(len(answer["matrix"]))]
    row = [9 if player in odd else 1 for player in players]
    return {"analysis": f"Odd: {sorted(odd)}", "matrix": [row] * len(players)}


def _number(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "big")


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match, text
    return match[1]
