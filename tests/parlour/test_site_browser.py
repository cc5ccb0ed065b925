"""The site in a real browser, where one is installed: what it promises to readers."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from parlour.site.site import files_of
from parlour.site.writer import write_site
from tests.parlour.browser import BROWSER, Tab, tab

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed"),
]
PAGES = ("", "agent/bea/", "agent/bea/with/clara/", "agents/", "meetings/", "matches/", "data/",
         "method/", "game/donation/", "matches/impostor/", "by/gossip/")  # fmt: skip
NAMES = "[...document.querySelectorAll('.standings tbody .who')].map((each) => each.textContent)"
WON = "[...document.querySelectorAll('.standings [data-of=won]')].map((each) => each.dataset.value)"
WIDE = "document.scrollingElement.scrollWidth - innerWidth"


@pytest.fixture(scope="module")
def site(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of all nine games in a folder."""
    folder = tmp_path_factory.mktemp("browser") / "site"
    write_site(folder, files_of([demo]))
    return folder


def browse(site: Path, folder: Path, look: Callable[[Tab, str], Awaitable[None]]) -> None:
    """Opens a browser, looks, and holds the browser to be silent and to stay on the site."""

    async def looked() -> None:
        async with tab(folder) as page:
            await look(page, site.as_uri())
            assert page.messages == []
            assert {each for each in page.requests if not each.startswith("data:")}
            outside = [
                each for each in page.requests if not each.startswith((site.as_uri(), "data:"))
            ]
            assert outside == []

    asyncio.run(looked())


def test_no_page_scrolls_sideways_at_any_width(site: Path, tmp_path: Path) -> None:
    async def look(page: Tab, root: str) -> None:
        match = next((site / "match").iterdir()).name
        for address in (*PAGES, f"match/{match}/"):
            for width in (1280, 800, 390, 360):
                await page.open(f"{root}/{address}index.html", width=width)
                assert await page.value(WIDE) <= 0, (address, width)

    browse(site, tmp_path, look)


def test_a_head_sorts_and_its_view_has_an_address(site: Path, tmp_path: Path) -> None:
    async def look(page: Tab, root: str) -> None:
        await page.open(f"{root}/index.html")
        by_strength = await page.value(NAMES)
        await page.value("document.querySelector('.standings th.won a').click()")
        await page.value("new Promise((done) => setTimeout(done, 100))")
        won = [float(each) for each in await page.value(WON)]
        assert won == sorted(won, reverse=True)
        assert (await page.value("location.hash")) == "#sort=won"
        await page.open(f"{root}/index.html#sort=agent")
        await page.value("new Promise((done) => setTimeout(done, 100))")
        assert await page.value(NAMES) == sorted(by_strength)

    browse(site, tmp_path, look)


def test_filters_and_links_work_without_script(site: Path, tmp_path: Path) -> None:
    async def look(page: Tab, root: str) -> None:
        await page.open(f"{root}/index.html", script=False)
        assert await page.value("document.querySelector('#theme').hidden")
        for words, end in (("Gossip", "by/gossip/index.html"), ("Donation", "donation/index.html")):
            links = "[...document.querySelectorAll('.filters a')]"
            target = f"{links}.find((each) => each.textContent.includes('{words}')).href"
            await page.open(await page.value(target), script=False)
            assert (await page.value("location.href")).endswith(end)
            assert await page.value("document.querySelectorAll('.standings tbody tr').length") == 4

    browse(site, tmp_path, look)


def test_the_theme_is_switched_and_kept_and_keys_leave_fields_alone(
    site: Path, tmp_path: Path
) -> None:
    ground = "getComputedStyle(document.documentElement).backgroundColor"

    async def look(page: Tab, root: str) -> None:
        await page.open(f"{root}/index.html")
        day = await page.value(ground)
        await page.value("document.querySelectorAll('#theme button')[2].click()")
        night = await page.value(ground)
        assert night != day
        await page.open(f"{root}/agents/index.html")
        assert await page.value(ground) == night
        await page.press("t")
        assert await page.value("localStorage.getItem('theme')") == "auto"

    browse(site, tmp_path, look)


def test_a_pair_in_focus_stands_in_the_card_and_arrows_move(site: Path, tmp_path: Path) -> None:
    words = "document.querySelector('#pair .words').textContent"

    async def look(page: Tab, root: str) -> None:
        await page.open(f"{root}/meetings/index.html")
        await page.value("document.querySelector('.met a[tabindex=\"0\"]').focus()")
        first = await page.value(words)
        await page.press("ArrowRight")
        assert await page.value(words) != first
        assert await page.value("document.activeElement.dataset.pair") == await page.value(words)

    browse(site, tmp_path, look)


def test_readers_of_the_screen_get_names_and_intervals(site: Path, tmp_path: Path) -> None:
    async def look(page: Tab, root: str) -> None:
        await page.open(f"{root}/index.html")
        tree = (await page.call("Accessibility.getFullAXTree"))["nodes"]
        named = [(each["role"]["value"], each.get("name", {}).get("value", "")) for each in tree
                 if not each["ignored"]]  # fmt: skip
        images = [name for role, name in named if role in ("image", "img")]
        assert sum("95 % interval from" in name for name in images) > 4
        assert all(images)
        roles = {role for role, _ in named}
        assert {"table", "columnheader", "rowheader", "heading", "navigation", "main"} <= roles
        assert next(name for role, name in named if role == "heading").endswith(".")

    browse(site, tmp_path, look)


def test_the_page_prints_by_day_with_folds_open(site: Path, tmp_path: Path) -> None:
    async def look(page: Tab, root: str) -> None:
        await page.open(f"{root}/agent/bea/index.html")
        assert len(await page.pdf()) > 20_000
        await page.call("Emulation.setEmulatedMedia", media="print")
        hidden = "getComputedStyle(document.querySelector('.top nav')).display"
        assert await page.value(hidden) == "none"
        assert await page.value("document.querySelector('details.data table').offsetHeight") > 0

    browse(site, tmp_path, look)
