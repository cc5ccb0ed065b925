"""What each agent of a save has spent."""

from collections import defaultdict

from tournament.save import Save


def spent_by_agent(save: Save) -> tuple[dict[str, float], int]:
    """Dollars that each agent has spent, and the number of the last open reservation.

    What is still set aside is of calls that a killed process had sent: it counts as spent.
    """
    spent: dict[str, float] = defaultdict(float)
    rows = []
    if save.has_calls:
        rows += save.select("SELECT 0, agent, total(price) FROM calls GROUP BY agent")
    if save.version >= 5:
        rows += save.select("SELECT id, agent, dollars FROM reservations")
    for _id, agent, dollars in rows:
        spent[agent] += dollars
    return spent, max((row[0] for row in rows), default=0)
