"""A runner used directly, as the benchmarks do, without the forecast that a session reads."""

import asyncio
from pathlib import Path

from parlour.tournament.run.runner import Runner
from parlour.tournament.save.growing.check import first_difference
from parlour.tournament.save.reader import Save
from parlour.tournament.save.writer import Writer
from tests.tournaments import MATCHES, new_save


def test_a_runner_whose_forecast_has_read_no_save_plays_every_match(tmp_path: Path) -> None:
    path = new_save(tmp_path)

    async def story() -> Runner:
        writer = await Writer.open(path, lambda reason: None)
        try:
            with Save(path) as save:
                runner = Runner(save.tournament, writer, 4)
                await runner.run(save, {}, {})
        finally:
            await writer.close()
        return runner

    assert asyncio.run(story()).stats.finished == MATCHES
    with Save(path) as save:
        assert save.progress().done
        assert first_difference(save) is None
