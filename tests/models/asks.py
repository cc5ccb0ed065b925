"""Real asks of all games to a real model: valid first answers, repairs, tokens and faults.

    python -m tests.models.asks [http://127.0.0.1:8090/v1] [--mode schema] [--enforced]
                                [--wording short] [--matches 2] [--each 2] [--longest 250]
                                [--window 4096] [--games a,b]

plays matches of each game in which the model has every seat, and prints a line for each game and
one for each kind of fault. In the word games every ask goes to the model; elsewhere ``--each`` asks
of a kind and a match, the rest is drawn. Without an address, the model of ``--model local`` is
asked, one call at a time.
"""

import argparse
import asyncio
import json
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from parlour.agents.base import Call
from parlour.agents.llm.agent import LLMAgent
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.http_clients import OpenAIClient
from parlour.agents.model_calls import Client, Completion, Request
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Ask, Fault, Seat
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.testing.playthrough import openings, sampled
from tests.models.real import real_server

TRIES = 3
WORD_GAMES = ("chameleon", "impostor", "undercover")


@dataclass(slots=True)
class Counted:
    """Answers of one game: how many were asked for and valid, and tokens in and out."""

    first: int = 0
    valid: int = 0
    repairs: int = 0
    righted: int = 0
    tokens: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Counted") -> None:
        """Adds the counts of another game."""
        self.first += other.first
        self.valid += other.valid
        self.repairs += other.repairs
        self.righted += other.righted
        self.tokens += other.tokens
        self.faults += other.faults

    def line(self, name: str) -> str:
        """One row of the table."""
        tokens, asked, again = self.tokens, max(self.first, 1), max(self.repairs, 1)
        every = max(tokens["in"] + tokens["in again"], 1)
        return (
            f"{name:20}{self.valid:4} of {self.first:4} valid ({self.valid / asked:4.0%})"
            f"  in {tokens['in'] / asked:6.0f}  out {tokens['out'] / asked:5.0f}"
            f"  | repairs {self.righted:3} of {self.repairs:3} righted,"
            f" in {tokens['in again'] / again:6.0f}, {tokens['in again'] / every:4.0%} of tokens in"
        )


async def answered(
    agent: LLMAgent, table: Table, ask: Ask[Any], seat: Seat, counted: Counted, tries: int
) -> object:
    """The model's answer to one ask, or its last fault, counted."""
    faulty: tuple[tuple[str, Fault], ...] = ()

    async def complete(client: Client, request: Request) -> Completion:
        completion = await client.complete(request)
        again = " again" if faulty else ""
        counted.tokens[f"in{again}"] += completion.prompt_tokens or 0
        counted.tokens[f"out{again}"] += completion.completion_tokens or 0
        return completion

    judged: Any = None
    for attempt in range(1, tries + 1):
        dice = Dice("asks", table.seed, table.ask_number, seat, attempt)
        reply = await agent.act(ask, table.view(seat), Call(dice, faulty, complete))
        judged = reply.value if isinstance(reply.value, Fault) else ask.judge(seat, reply.value)
        good = not isinstance(judged, Fault)
        if attempt == 1:
            counted.first, counted.valid = counted.first + 1, counted.valid + good
        else:
            counted.repairs, counted.righted = counted.repairs + 1, counted.righted + good
        if good:
            break
        counted.faults[f"{ask.kind}: {judged.kind.value}: {judged.message[:60]}"] += attempt == 1
        faulty += ((reply.text, judged),)
    return judged


async def measured(agent: LLMAgent, name: str, matches: int, each: int, tries: int) -> Counted:
    """The counts of one game."""
    game, counted = games()[name], Counted()
    for table in openings(game, game.variant(), seeds=matches):
        asked: Counter[str] = Counter()
        while (ask := table.pending) is not None:
            given: dict[Seat, Any] = {}
            for seat in ask.seats:
                asked[ask.kind] += 1
                if name in WORD_GAMES or asked[ask.kind] <= each:
                    given[seat] = await answered(agent, table, ask, seat, counted, tries)
                else:
                    given[seat] = sampled(table, seat)
            table.take(given)
            await asyncio.sleep(0)
    return counted


async def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("base", nargs="?")
    parser.add_argument("--wording", choices=["full", "short"], default="full")
    parser.add_argument("--mode", default=None)
    parser.add_argument("--enforced", action="store_true")
    parser.add_argument("--matches", type=int, default=2)
    parser.add_argument("--each", type=int, default=2)
    parser.add_argument("--longest", type=int, default=250)
    parser.add_argument("--tries", type=int, default=TRIES)
    parser.add_argument("--window", type=int, default=None)
    parser.add_argument("--games", default=",".join(games()))
    options = parser.parse_args()
    async with nullcontext(options.base) if options.base else real_server(1) as base:
        await print_counts(base, options)


async def print_counts(base: str, options: argparse.Namespace) -> None:
    """Prints the counts by game, and the faults."""
    block: dict[str, Any] = {"name": "Ada", "kind": "llm", "model": "smollm2"}
    block |= {"api_base": base, "timeout": 600.0, "wording": options.wording}
    block["parameters"] = {"max_tokens": options.longest, "seed": 1}
    block |= {"structured": options.mode} if options.mode else {}
    block |= {"context": options.window} if options.window else {}
    block |= {"enforced": True} if options.enforced else {}
    config = LLMConfig.model_validate(block)
    agent = LLMAgent(config, OpenAIClient(config))
    whole = Counted()
    for name in options.games.split(","):
        counted = await measured(agent, name, options.matches, options.each, options.tries)
        whole.add(counted)
        print(counted.line(name), flush=True)
    print(whole.line("all games"))
    print(json.dumps(dict(whole.faults.most_common()), indent=1))
    await agent.client.close()


if __name__ == "__main__":
    asyncio.run(main())
