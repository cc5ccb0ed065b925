"""A real Ray cluster of two nodes on this machine. Tests that use it are skipped without Ray."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.cluster.clusters import NODE, started


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A cluster of two nodes with two cores each."""
    pytest.importorskip("ray")
    own = {"RAY_USAGE_STATS_ENABLED": "0", "XDG_CONFIG_HOME": str(tmp_path_factory.mktemp("own"))}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in own.items():
            patch.setenv(name, value)
        with started() as cluster:
            cluster.add_node(**NODE)
            yield cluster


@pytest.fixture(scope="module")
def address(cluster: Any) -> str:
    """The address of its head node."""
    return str(cluster.address)
