"""TrueSkill's ratings of matches that are all there."""

from collections.abc import Sequence

from parlour.games.engine.record import MatchRecord
from parlour.ratings.skill.trueskill_ladders import Ladders, Skills


def rate(records: Sequence[MatchRecord]) -> Skills:
    """Returns the TrueSkill ratings after finished matches, given in order of their places."""
    games = {record.game for record in records}
    ladders = Ladders(several=len(games) > 1)
    for record in records:
        ladders.play(record)
    return ladders.skills(games)
