"""The ranks that evidence decides, with one error probability for all of them together.

Partitioning principle (Finner and Strassburger 2002): each order of the agents is a hypothesis, and
it is given up once the mean of the e-processes against its adjacent pairs reaches 1/α. The mean is
an e-process while the order is the true one, so the true order is ever given up with probability α
at most, and no correction for the number of pairs is needed. One agent is decided to be above
another if every order that has them the other way round was given up. With ties two orders are
true, one with all ties reversed; therefore each gets α/2.

An order is given up at the latest when one adjacent pair reaches (agents - 1) · 2/α, and that is
what is used. The orders that remain are then the paths through the graph of pairs that may follow
each other. It has an edge between any two agents, so its strongly connected components stand in
one order, and in a component every two agents occur in both orders (Camion 1959): the components
are the places that are decided, neither more nor less.
"""

from dataclasses import dataclass

import numpy as np

from parlour.ratings.adaptive.evidence import Counts, Evidence, Flags

ERROR = 0.05
"""Probability that any decided order of two agents is ever false, in a whole tournament."""


@dataclass(slots=True)
class Order:
    """The decided pairs of tournaments (leading axes) and what follows from them.

    ``beaten`` (..., agents, agents) is True once the first agent was decided to be above the
    second; decisions stay.
    """

    beaten: Flags

    @classmethod
    def of(cls, shape: tuple[int, ...]) -> "Order":
        """The order before the first bout; ``shape`` ends with the number of agents."""
        return cls(np.zeros((*shape, shape[-1]), dtype=np.bool_))

    def update(self, evidence: Evidence) -> None:
        """Adds the pairs that the evidence decides."""
        least = np.log(2 * (evidence.agents - 1) / ERROR)
        self.beaten |= (evidence.above >= least) & ~self.beaten.swapaxes(-1, -2)

    def open_pairs(self, ranks: int) -> Flags:
        """Returns the pairs (..., agents, agents) that have to be decided for the first ranks.

        Two agents that are each below as many others as ranks are asked for need no order.
        """
        agents = self.beaten.shape[-1]
        undecided = ~(self.beaten | self.beaten.swapaxes(-1, -2))
        undecided &= ~np.eye(agents, dtype=np.bool_)
        out = self.beaten.sum(axis=-2) >= ranks
        return np.asarray(undecided & ~(out[..., :, np.newaxis] & out[..., np.newaxis, :]))

    def cuts(self) -> tuple[Counts, Flags]:
        """Returns the agents from the first (..., agents), and where they fall into two (...,
        agents): after place r, all agents so far are above all others.
        """
        agents = self.beaten.shape[-1]
        # An agent before a cut beats all after it, so it beats more than any of them.
        order = np.argsort(-self.beaten.sum(axis=-1), axis=-1, kind="stable")
        sorted_rows = np.take_along_axis(self.beaten, order[..., :, np.newaxis], axis=-2)
        beaten = np.take_along_axis(sorted_rows, order[..., np.newaxis, :], axis=-1)
        cuts = np.empty(order.shape, dtype=np.bool_)
        for place in range(agents):
            cuts[..., place] = beaten[..., : place + 1, place + 1 :].all(axis=(-2, -1))
        return order, cuts

    def is_decided(self, ranks: int) -> Flags:
        """True (...) where the first ranks are decided: each has one agent."""
        _, cuts = self.cuts()
        return np.asarray(cuts[..., :ranks].all(axis=-1))


def ranges(order: Order) -> Counts:
    """Returns the first and the last rank that each agent may have (..., agents, 2), from 1."""
    sequence, cuts = order.cuts()
    agents = cuts.shape[-1]
    firsts, lasts = np.empty_like(sequence), np.empty_like(sequence)
    begin = np.zeros(sequence.shape[:-1], dtype=np.int64)
    for place in range(agents):
        firsts[..., place] = begin + 1
        begin = np.where(cuts[..., place], place + 1, begin)
    end = np.full(sequence.shape[:-1], agents, dtype=np.int64)
    for place in range(agents - 1, -1, -1):
        end = np.where(cuts[..., place], place + 1, end)
        lasts[..., place] = end
    both = np.stack([firsts, lasts], axis=-1)
    by_agent = np.empty_like(both)
    np.put_along_axis(by_agent, sequence[..., np.newaxis], both, axis=-2)
    return by_agent
