"""Counts of the chameleon game that other word games do not have."""

from collections.abc import Iterator

from parlour.games.common.text import same_word
from parlour.games.engine.counting import Count, Counting
from parlour.games.engine.record import MatchRecord


def count(record: MatchRecord) -> Iterator[Count]:
    """Yields whether the chameleon supposes the right word, as a deduction of Reasoning.

    It knows who the chameleon is, and deduces the word in place of that: the MAGIC release asks it
    for the word where it asks the others for the chameleon. A faulty answer is wrong.
    """
    for answer in record.answers:
        if answer.kind == "supposed_word" and answer.seat in record.counted:
            supposed, word = answer.value["word"], record.outcome.facts["secret_word"]
            right = supposed is not None and same_word(supposed, word)
            role = record.outcome.roles[answer.seat]
            yield record.agents[answer.seat], role, "reasoning", right, 1


COUNTING = Counting(match=count, deductions=True, strict_profile=True)
