"""docs/many-machines.md: its commands, one after the other, on one machine."""

from pathlib import Path

import pytest

from tests.blocks import blocks, shell, write_files
from tests.tournaments import new_save

PAGE = "docs/many-machines.md"


@pytest.mark.slow
def test_the_commands_of_the_page_put_the_shards_together(tmp_path: Path) -> None:
    start, *rest = blocks(PAGE, "sh")
    assert "--save big.db --detach" in start
    new_save(tmp_path, name="big.db")  # in place of a run that is stopped at some moment
    shards = rest[:3]
    printed = [shell(block, tmp_path) for block in shards]
    assert "big-2-of-2.db, 6 matches" in printed[0]
    assert "all.db, 12 of 12 matches finished" in printed[-1]
    assert "merged from parts of one save: small" in printed[-1]
    assert write_files(PAGE, tmp_path) == ["kim.toml", "zoe.toml"]
    assert "both.db, 36 of 36 matches finished, 5 agents, from 2 saves of 2" in shell(
        rest[3], tmp_path
    )
    assert "from 2 saves of 2 tournaments" in shell(rest[4], tmp_path)
