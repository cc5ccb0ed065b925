"""A match told and the live page in a real browser, where one is installed."""

import asyncio
from pathlib import Path

import pytest
from aiohttp.test_utils import TestServer

from parlour.site.serve import Server
from parlour.site.told import replay_page
from parlour.tournament.save.reader import Save
from tests.parlour.browser import BROWSER, Tab, tab
from tests.tournaments import finished, printed, scripted

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed"),
]
PLACE = "document.querySelector('output').textContent"
WIDE = "document.scrollingElement.scrollWidth - innerWidth"
FINDING = "document.querySelector('#finding').textContent"
NEWS = "document.querySelector('#news').textContent"
PRESSED = (("ArrowLeft", "6 of 10"), ("ArrowRight", "7 of 10"), ("Home", "1 of 10"),
           ("]", "2 of 10"), ("[", "1 of 10"), ("End", "10 of 10, the end"))  # fmt: skip


def test_a_match_is_stepped_through_by_keys_and_reads_without_script(
    demo: Path, tmp_path: Path
) -> None:
    with Save(demo) as opened:
        number = next(each.number for each in opened.matches("finished") if each.game == "impostor")
    file = tmp_path / "one.html"
    file.write_bytes(replay_page(demo, number, "0"))

    async def look() -> None:
        async with tab(tmp_path) as page:
            await page.open(f"{file.as_uri()}#s7")
            assert await page.value(PLACE) == "7 of 10"
            assert "impostor" not in await page.value("document.querySelector('#board').innerText")
            for key, place in PRESSED:
                await page.press(key)
                assert await page.value(PLACE) == place
            assert "impostor" in await page.value("document.querySelector('#board').innerHTML")
            assert await page.pdf()
            await page.open(f"{file.as_uri()}?narrow#s7", width=800)
            shown = "document.querySelector('#final').offsetHeight > 0"
            assert not await page.value(shown), "it names the impostor"
            await page.press("End")
            assert await page.value(shown)
            for script in (True, False):
                await page.open(f"{file.as_uri()}?{script}", width=390, script=script)
                assert await page.value(WIDE) <= 0
            assert await page.value("document.querySelectorAll('.boards svg').length") > 3
            assert page.messages == []
            assert {
                each for each in page.requests if not each.startswith(("file:", "data:"))
            } == set()

    asyncio.run(look())


HELPFUL = """
name = "helpful"
[[games]]
name = "donation"
agents_per_match = 6
""" + scripted(Ada="cooperate", Bea="cooperate")
FOLD = "document.querySelector('.fold details')"


def test_a_fold_opens_while_the_step_in_view_is_in_it(tmp_path: Path) -> None:
    file = tmp_path / "one.html"
    file.write_bytes(replay_page(finished(tmp_path, HELPFUL), 1, "0"))

    async def look() -> None:
        async with tab(tmp_path) as page:
            await page.open(file.as_uri())
            words = await page.value(f"{FOLD}.innerText")
            assert words == "Rounds 1 to 14, all alike: helps, praising"
            for key, is_open in (("Home", False), ("ArrowRight", True), ("End", False)):
                await page.press(key)
                assert await page.value(f"{FOLD}.open") is is_open
            await page.open(f"{file.as_uri()}#s4")
            assert "meets" in await page.value(f"{FOLD}.innerText")
            assert page.messages == []

    asyncio.run(look())


CONTRAST = """(() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[0-9.]+/g).map((v) => v / 255)
      .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const cells = [...document.querySelectorAll('.tile')];
  const shares = cells.filter((each) => /h[0-5]/.test(each.className) && each.textContent);
  return shares.map((each) => getComputedStyle(each)).map((style) => {
    const [ink, ground] = [light(style.color), light(style.backgroundColor)];
    return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
  });
})()"""
"""The contrast of the words in cells of suspicion with what is below them."""


def test_the_words_in_a_cell_of_suspicion_can_be_read_by_day_and_by_night(
    demo: Path, tmp_path: Path
) -> None:
    pages = (replay_page(demo, number, "0") for number in range(1, 45))
    file = tmp_path / "one.html"
    file.write_bytes(next(page for page in pages if b'class="tile h5"' in page))

    async def look() -> None:
        async with tab(tmp_path) as page:
            for scheme in ("light", "dark"):
                features = [{"name": "prefers-color-scheme", "value": scheme}]
                await page.call("Emulation.setEmulatedMedia", features=features)
                await page.open(file.as_uri())
                contrasts = await page.value(CONTRAST)
                assert contrasts
                assert min(contrasts) >= 4.5, scheme

    asyncio.run(look())


def test_the_live_page_follows_a_real_run_and_other_pages_stay(tmp_path: Path) -> None:
    save = tmp_path / "run.db"
    options = ("--save", save, "--pace", 60, "--detach")
    printed("run", "--preset", "impostor-small", *options, cwd=tmp_path)

    async def until(page: Tab, script: str) -> None:
        for _ in range(600):
            if await page.value(script):
                return
            await asyncio.sleep(0.1)
        raise AssertionError(script)

    async def look() -> None:
        async with TestServer(Server([save]).app()) as server, tab(tmp_path) as page:
            root = str(server.make_url("/"))
            await page.open(f"{root}live/")
            await until(page, "!!document.querySelector('#finding')")
            begin = await page.value(FINDING)
            await until(page, f"{FINDING} !== {begin!r}")
            words = await page.value("document.querySelector('#live').innerText")
            assert "answers, over two minutes" in words
            await until(page, "document.querySelector('#live').innerText.includes(' ago')")
            await until(page, "/clues|vote/.test(document.querySelector('#live').innerText)")
            await until(page, "!!document.querySelector('#live td .cell[aria-label$=answers]')")
            await until(page, "!!document.querySelector('#now .whisker')")
            await page.open(f"{root}agents/")
            await until(page, f"{NEWS}.includes('new match')")
            assert page.messages == []

    try:
        asyncio.run(look())
    finally:
        printed("stop", save, cwd=tmp_path)
