"""A model of the suite that always knows whose word is another, and says so when it may think.

Its clues give its word away to its own kind: a weight that is the same for the same word. An
analysis of its compares the weights, so its verdicts and matrices are right. It never compares
them when it acts: a vote goes by what the question says of an analysis, and without one by chance.
"""

import re
from hashlib import blake2b
from typing import Any

_TARGET = re.compile(
    r"By it, (Player \d) is the one whom you suspect most"
    r"|Of the others you trust (Player \d) least"
    r"|the others suspect (Player \d) most"
)


def sleuth_answer(
    form: str, system: str, question: str, answer: dict[str, Any], right: bool
) -> dict[str, Any]:
    """Its replacement of an otherwise random answer to that question.

    ``right``: whether it says in an analysis what it found, or the opposite.
    """
    if form not in {"Clue", "Vote", "Verdicts", "Suspicions"}:
        return answer
    me = _found(r"You are (Player \d)", system)
    weight = str(_number(_found(r'Your word is "([^"]+)"', system)))
    if form == "Clue":
        return {"text": f"It weighs {weight} grams."}
    heard = dict(re.findall(r'- round \d+, (Player \d): "It weighs (\d+) grams."', question))
    others = {name: weighs for name, weighs in heard.items() if name != me}
    if form == "Vote":
        return {**answer, "suspect": _target(question) or _guess(me, weight, others)}
    odd = {name for name, weighs in others.items() if (weighs != weight) == right}
    return _verdicts(me, others, odd) if form == "Verdicts" else _matrix(answer, me, odd)


def _target(question: str) -> str | None:
    """Whom the prompt of a decision names as the target of the analysis."""
    match = _TARGET.search(question)
    return next(filter(None, match.groups())) if match else None


def _guess(me: str, weight: str, others: dict[str, str]) -> str:
    """One of the others by chance, the same in the same match however a prompt is worded."""
    return sorted(others)[_number(f"{me} {weight} {sorted(others.items())}") % len(others)]


def _verdicts(me: str, others: dict[str, str], odd: set[str]) -> dict[str, Any]:
    said = {name: "more" if name in odd else "less" for name in others}
    verdicts = [{"viewer": me, "about": name, "verdict": said[name]} for name in said]
    return {"analysis": f"Odd: {sorted(odd)}", "verdicts": verdicts}


def _matrix(answer: dict[str, Any], me: str, odd: set[str]) -> dict[str, Any]:
    rows = [list(row) for row in answer["matrix"]]
    own = int(me.removeprefix("Player ")) - 1
    rows[own] = [9 if f"Player {seat + 1}" in odd else 1 for seat in range(len(rows))]
    rows[own][own] = 0
    return {"analysis": f"Odd: {sorted(odd)}", "matrix": rows}


def _number(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "big")


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match, text
    return match[1]
