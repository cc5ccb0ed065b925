"""Agents with many invalid answers, and the note on their other figures."""

from collections.abc import Iterable

from parlour.ratings.counting.counts import AgentFaults
from parlour.ratings.reports.leaderboard import Standing

MANY_FAULTS = 0.1
"""Fault rate from which a note warns of an agent."""


def faults_of(standings: Iterable[Standing]) -> list[AgentFaults]:
    """Returns the faulty answers of agents with a fault rate."""
    rates = ((each.agent, each.measures.get("fault_rate")) for each in standings)
    return [(agent, rate.k or 0, rate.n) for agent, rate in rates if rate is not None]


def faulty_agents(counts: Iterable[AgentFaults]) -> list[str]:
    """Returns the agents with a high fault rate, each with its counts."""
    high = ((agent, k, n) for agent, k, n in counts if n and k / n >= MANY_FAULTS)
    return [f"{agent} ({k:.10g}/{n:.10g} faults)" for agent, k, n in high]


def faults_notes(counts: Iterable[AgentFaults]) -> list[str]:
    """Returns the note on agents with a high fault rate, if there are any."""
    faulty = faulty_agents(counts)
    note = (
        f"Many invalid answers: {', '.join(faulty)}. The other figures of these agents say little."
        " `parlour leaderboard --view conduct` counts faults by kind, and the notes in an export"
        " give the reasons."
    )
    return [note] if faulty else []
