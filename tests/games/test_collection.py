"""The collector is as it was once no context holds it off any more."""

import gc
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from parlour.games.common.collection import uncollected


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_a_context_holds_the_collector_off_and_restores_it() -> None:
    with uncollected():
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(KeyError), uncollected():
        raise KeyError
    assert gc.isenabled()
    gc.disable()
    with uncollected(), uncollected():
        pass
    assert not gc.isenabled()


def test_contexts_may_end_in_the_order_in_which_they_began() -> None:
    # As those of two threads do.
    first, second = ExitStack(), ExitStack()
    first.enter_context(uncollected())
    second.enter_context(uncollected())
    first.close()
    assert not gc.isenabled()
    second.close()
    assert gc.isenabled()
