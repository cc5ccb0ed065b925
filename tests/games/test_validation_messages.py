"""Validation errors in plain words: by the type of the error, whatever pydantic calls it."""

from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core._pydantic_core import list_all_errors

from parlour.games.common import validation_messages
from parlour.games.common.validation_messages import first_problem, message_of

DOCUMENTED = {error["type"]: error for error in list_all_errors()}
MAPPED = (*validation_messages._MESSAGES, *validation_messages._COUNTED)


class Block(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(default="x", min_length=2, max_length=4)
    seed: int = Field(default=0, ge=0, lt=10)
    share: float = Field(default=0.5, gt=0, le=1.5)
    loud: bool = False
    mode: Literal["a", "b"] = "a"
    seats: tuple[int, int] = (0, 1)
    names: list[str] = []
    extra: dict[str, int] = {}

    @model_validator(mode="after")
    def _quiet(self) -> "Block":
        if self.loud and self.mode == "b":
            raise ValueError("mode 'b' is never loud")
        return self


@pytest.mark.parametrize(
    ("block", "field", "problem"),
    [
        ({"name": "y"}, "name", "must have at least 2 characters (got 'y')"),
        ({"name": "y" * 5}, "name", "must have at most 4 characters (got 'yyyyy')"),
        ({"name": 3}, "name", "must be a text (got 3)"),
        ({"seed": "7"}, "seed", "must be a whole number (got '7')"),
        ({"seed": True}, "seed", "must be a whole number (got true)"),
        ({"seed": -1}, "seed", "must be at least 0 (got -1)"),
        ({"seed": 10}, "seed", "must be less than 10 (got 10)"),
        ({"share": 0.0}, "share", "must be greater than 0 (got 0.0)"),
        ({"share": 2.0}, "share", "must be at most 1.5 (got 2.0)"),
        ({"share": "much"}, "share", "must be a number (got 'much')"),
        ({"loud": "yes"}, "loud", "must be true or false (got 'yes')"),
        ({"mode": "c"}, "mode", "must be 'a' or 'b' (got 'c')"),
        ({"seats": (1,)}, "seats[1]", "is missing"),
        ({"seats": (1, 2, 3)}, "seats", "must have at most 2 items (got (1, 2, 3))"),
        ({"names": "Ann"}, "names", "must be a list (got 'Ann')"),
        ({"names": [None]}, "names[0]", "must be a text (got null)"),
        ({"extra": [1]}, "extra", "must be an object (got [1])"),
        ({"sede": 1}, "sede", "is not a valid key here"),
        ({"loud": True, "mode": "b"}, "", "mode 'b' is never loud"),
    ],
)
def test_a_problem_names_field_value_and_what_is_allowed(
    block: dict[str, Any], field: str, problem: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        Block.model_validate(block)
    assert first_problem(caught.value) == (f", field {field}" if field else "", problem)


@pytest.mark.parametrize("kind", MAPPED)
def test_a_message_does_not_depend_on_the_words_of_the_library(kind: str) -> None:
    example = DOCUMENTED[kind]
    context = example.get("example_context") or {}
    error = {"type": kind, "loc": (), "msg": "CHANGED", "input": 0, "ctx": context}
    message = message_of(error)
    assert message
    assert "CHANGED" not in message
    assert "{" not in message


def test_an_unknown_type_keeps_the_words_of_the_library() -> None:
    assert message_of({"type": "new_type", "loc": (), "msg": "Odd thing"}) == "odd thing"
