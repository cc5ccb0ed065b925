"""The number of drawn inputs: few in each test, many in its twin for ``-m soak``."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

LONG = 40
"""Times as many inputs in a soak."""


def budgeted(inputs: int) -> Callable[[Any], Any]:
    """Settings of a test: the same inputs each time, however long one takes."""
    return settings(
        max_examples=inputs,
        derandomize=True,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def at_length(test: Any, drawn: Callable[[Any], Any], inputs: int) -> Any:
    """The same test with many more inputs; ``drawn`` is the ``given`` of the short one."""
    return pytest.mark.soak(budgeted(LONG * inputs)(drawn(test.hypothesis.inner_test)))
