"""The airlines that share an airport, and the pool that ships."""

import json
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from parlour.games.common.suggestions import suggestion
from parlour.games.engine.game import Frozen
from parlour.games.families.word_games import plain_word

Name = Annotated[str, Field(min_length=1, max_length=60), AfterValidator(plain_word)]


class Airline(Frozen):
    """An airline's use of the airport: figures of a month, and its aircraft.

    ``hours`` is the average duration of a flight.
    """

    name: Name
    flights: int = Field(ge=1, le=100_000)
    passengers: int = Field(ge=0, le=100_000_000)
    hours: float = Field(gt=0, le=24)
    aircraft: Annotated[str, Field(min_length=1, max_length=200), AfterValidator(plain_word)]


@cache
def pool() -> dict[str, Airline]:
    """The shipped airlines by name."""
    text = (Path(__file__).parent / "data" / "airlines.json").read_text(encoding="utf-8")
    airlines = [Airline.model_validate(entry) for entry in json.loads(text)]
    return {airline.name: airline for airline in airlines}


def from_pool(value: object) -> object:
    """Reads a name as the airline of the pool; leaves figures to the validator."""
    if isinstance(value, str):
        if value not in pool():
            raise ValueError(
                f"no airline of the pool is called {value!r}; " + suggestion(value, pool())
            )
        return pool()[value]
    return value
