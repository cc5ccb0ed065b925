"""The site over HTTP, and matches told step by step."""

import asyncio
import json
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer
from yarl import URL

from parlour.agents.llm.config import LLMConfig
from parlour.games.engine.board import Ring
from parlour.games.engine.moves import Seat
from parlour.games.engine.talk import Action, Approvals, Ballot, FaultLine, Heading, Said
from parlour.site.live import Now, live_body
from parlour.site.serve import MOST_STREAMS, PARTS, ServedSave, Server
from parlour.site.source import read_source
from parlour.site.steps import FEW_STEPS, MOST_STEPS, ToldStep, folded, steps_of
from parlour.site.told import replay_page
from parlour.tournament.control.status import OpenCall, RunStatus
from parlour.tournament.save.reader import Save
from tests.hostile import hostile_save
from tests.parlour.pages import Page
from tests.parlour.test_standings import rated
from tests.tournaments import finished, printed, refused, scripted, tamper

Client = TestClient[Any, Any]


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.site.serve.FIRST_WAIT", 60.0)


def served(look: Callable[[Client], Awaitable[None]], *paths: Path, **options: Any) -> None:
    """Looks at a server of some saves."""

    async def looked() -> None:
        async with TestClient(TestServer(Server(paths, **options).app())) as client:
            await look(client)

    asyncio.run(looked())


def test_every_item_of_a_talk_is_in_one_step_and_roles_are_told_at_the_end(demo: Path) -> None:
    games = set()
    with Save(demo) as save:
        for match in save.matches("finished"):
            if match.game in games:
                continue
            games.add(match.game)
            table, steps = steps_of(save.tournament, match, save.answers_of(match.number))
            whole = table.game.talk(table.seats, table.so_far, table.outcome)
            assert list(chain.from_iterable(step.items for step in steps)) == [
                item for item in whole if type(item).__name__ != "Chosen"
            ]
            cast = Counter(chain.from_iterable(step.votes for step in steps))
            assert cast == Counter(
                chain.from_iterable(
                    item.votes for item in whole if isinstance(item, Ballot | Approvals)
                )
            )
            assert 2 < len(steps) <= MOST_STEPS + 2, match.game
            assert list(chain.from_iterable(part for _, part in folded(steps))) == steps
            for step in steps[:-1]:
                rings = [board for board in step.boards if isinstance(board, Ring)]
                assert all(not ring.notes for ring in rings)
                assert not any(type(item).__name__ == "Ending" for item in step.items)
    assert len(games) == 9


def met(number: int, *more: Any, words: str = "helps", tone: str = "praising") -> list[ToldStep]:
    """The two steps of a meeting: an action, and what is said of it."""
    act = Action(Seat(0), words, Seat(1), "-" if words == "refuses" else "+")
    said = Said(Seat(1), f"Note {number}.", Seat(0), "+", tone)
    items = (Heading(f"round {number}", "· Player 1 meets Player 2"), act), (said, *more)
    return [ToldStep(each, (), ()) for each in items]


def test_rounds_that_are_alike_and_without_news_are_folded() -> None:
    odd = {5: met(5, words="refuses"), 10: met(10, FaultLine(Seat(0), "gave no answer")),
           11: met(11), 12: met(12), 13: met(13, tone="neutral")}  # fmt: skip
    steps = list(chain.from_iterable(odd.get(n) or met(n) for n in range(1, 17)))
    parts = [(words, len(part)) for words, part in folded(steps)]
    alike = "Rounds {} to {}, all alike: helps, praising"
    assert parts == [(alike.format(1, 4), 8), ("", 2), (alike.format(6, 9), 8), ("", 2), ("", 4),
                     ("", 2), (alike.format(14, 16), 6)]  # fmt: skip
    assert [words for words, _ in folded(steps[:FEW_STEPS]) if words] == []


def test_a_replay_is_one_file_that_loads_nothing(demo: Path, tmp_path: Path) -> None:
    with Save(demo) as save:
        first = {match.game: match.number for match in save.matches("finished")}
    for number in first.values():
        printed("replay", demo, number, "--html", "one.html", "--force", cwd=tmp_path)
        text = (tmp_path / "one.html").read_text()
        page = Page(text)
        assert page.complete
        assert len(text) < 1_000_000
        assert not re.search(r"(?:src|href)=\"(?!data:,|#)", text)
        policy = page.root.all("meta")[1].attributes["content"]
        assert policy.startswith("default-src 'none'; style-src 'sha256-")
    printed("replay", demo, first["impostor"], "--svg", "one.svg", cwd=tmp_path)
    assert (tmp_path / "one.svg").read_text().startswith("<svg xmlns=")
    printed("replay", demo, first["impostor"], "--cast", "one.cast", cwd=tmp_path)
    head, *events = map(json.loads, (tmp_path / "one.cast").read_text().splitlines())
    assert [head[key] for key in ("version", "width", "height")] == [2, 140, 40]
    assert [event[1] for event in events] == ["o"] * len(events)
    times = [event[0] for event in events]
    assert times == sorted(times)
    rows: dict[int, str] = {}
    for _, _, sent in events:
        for row, line in re.findall(r"\x1b\[(\d+);1H(.*?)(?=\x1b\[\d+;1H|$)", sent):
            rows[int(row)] = re.sub(r"\x1b\[[0-9;]*m", "", line)
    assert sorted(rows) == [*range(1, 41)]
    assert {len(line) for line in rows.values()} == {140}
    asks = len(events) - 2
    assert f"Impostor · match {first['impostor']} " in rows[1]
    assert rows[1].endswith(f"ask {asks} of {asks} ")
    assert "no/x.html" in refused("replay", demo, 1, "--html", "no/x.html", cwd=tmp_path)
    before = demo.read_bytes()
    for option in ("--svg", "--html", "--cast"):
        said = refused("replay", demo, 1, option, demo, "--force", cwd=tmp_path)
        assert "is a save and would be lost" in said
    assert "already exists" in refused("replay", demo, 1, "--svg", "one.svg", cwd=tmp_path)
    assert demo.read_bytes() == before


RITA = {"Rita": "grim", "Fritz": "fearful"}
FINES = "Fines 1 2 total Rita -1 -1 -2 Fritz·2 -3 · -3 Fritz·3 · -3 -3"
PICTURES = (
    ("prisoners_dilemma", RITA, ("Choices 1 2 3 4 5 net Rita ", FINES)),
    ("public_good", RITA, (" Pool given in each round ", " Who gave, who kept pool ")),
    ("donation", RITA, (" Help helps refuses ",)),
    ("cost_sharing", {"Faye": "fair", "Hal": "haggler"}, (" Proposals Agreed: ",)),
)


@pytest.mark.parametrize(("game", "agents", "shown"), PICTURES, ids=lambda each: str(each)[:12])
def test_the_picture_of_a_match_has_its_boards_and_what_its_mechanism_moved(
    game: str, agents: dict[str, str], shown: tuple[str, ...], tmp_path: Path
) -> None:
    block = f'[[games]]\nname = "{game}"\nmechanism = "punishment"\nlimit = 1\n'
    path = finished(tmp_path, f'name = "fines"\n{block}{scripted(**agents)}')
    printed("replay", path, 1, "--svg", "one.svg", cwd=tmp_path)
    texts = re.findall(r"<text[^>]*>([^<]+)</text>", (tmp_path / "one.svg").read_text())
    assert texts[0].endswith(", match 1")
    for words in shown:
        assert words in " ".join(texts)


def test_a_match_that_cannot_be_replayed_says_so(tmp_path: Path) -> None:
    path = finished(tmp_path)
    tamper(path, "UPDATE answers SET kind = 'nonsense' WHERE match = 1 AND ask = 1")

    async def look(client: Client) -> None:
        reply = await client.get("/match/1/")
        text = await reply.text()
        assert reply.status == 200
        assert "cannot be told" in text
        assert 'class="board"' not in text

    served(look, path)


def test_every_link_of_the_pages_leads_to_a_page(demo: Path) -> None:
    async def look(client: Client) -> None:
        todo, seen = ["/index.html"], set()
        while todo:
            address = todo.pop()
            if address in seen or len(seen) > 150:
                continue
            seen.add(address)
            reply = await client.get(address)
            body = await reply.read()
            assert reply.status == 200, address
            assert len(body) < 1_000_000, address
            if reply.content_type == "text/html":
                links = re.findall(r'href="([^"#]+)', body.decode())
                todo += [reply.url.join(URL(link)).path for link in links if link != "data:,"]
        assert "/live/index.html" not in seen  # nothing runs
        assert any(each.startswith("/match/") for each in seen)

    served(look, demo)


def test_the_server_shows_the_nights_of_a_store_and_new_ones_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.site.serve.LEAST_AGE", 0.0)
    store = tmp_path / "nights"
    store.mkdir()

    def rate(day: int) -> None:
        entry = rated(0.1, day, agent="Ada", strength_low=0.0, strength_high=0.2)
        (store / f"ada-{day}.json").write_text(json.dumps([asdict(entry)]))

    async def look(client: Client) -> None:
        for day in (1, 2):
            rate(day)
            async with asyncio.timeout(60):
                while f"{day} Jan" not in (page := await shown(client)):
                    await asyncio.sleep(0.1)
            assert ("2 Jan" in page) == (day == 2)

    async def shown(client: Client) -> str:
        return await (await client.get("/agent/ada/")).text()

    served(look, finished(tmp_path), store=store)


def test_the_live_page_tells_phase_model_money_and_time(demo: Path) -> None:
    source = read_source(demo)
    with Save(demo) as save:
        match = save.match(1)
    agent = match.agents[0]
    model = LLMConfig(kind="llm", name=agent, model="m-9")
    models = replace(source.tournament, agents=(model,))
    call = OpenCall(match=1, seat=0, agent=agent, age=2.0)
    money = {"dollars": 1.0, "reserved": 0.5, "dollars_at_end": 3.0, "budget": 4.0}
    run = RunStatus(waiting={1: [0]}, open_calls=[call], left=60.0, **money)
    playing = replace(match, outcome=None)
    begun = {1: ("clues 2/3", 0.5)}
    more = {"begun": begun, "speed": 2.5, "speeds": (0.0, 2.5), "moves": {agent: -2}}
    now = Now("running", run, {1: playing}, [(match, 9.0)], **more)
    shown = live_body(replace(source, tournament=models), now)
    assert all(words in shown for words in (
        ">clues 2/3</span>", ">m-9</td>", "$0.50 reserved", "9 seconds ago", "<b>2.5</b>/s",
        'class="later" x1="25.0%" x2="75.0%"', "50 % of its answers", "clues 2/3 in <a", ">▼2<",
        "half take less than 2.0 s", "ends about "))  # fmt: skip
    hidden = live_body(source, replace(now, names=frozenset({agent})))
    assert not any(words in hidden for words in ("clues 2/3", "· P1<", "half take"))


def test_moves_are_of_the_last_minute_and_speeds_of_the_last_two(demo: Path) -> None:
    one, now = ServedSave(demo), time.monotonic()
    one._orders = [(now - 200, ["a", "b", "c"]), (now - 100, ["b", "a", "c"]),
                   (now - 10, ["c", "b", "a", "new"])]  # fmt: skip
    assert one._moves() == {"c": 2, "b": -1, "a": -1}
    one._answers = [(float(second), 2 * second) for second in range(100, 161)]
    assert one._speeds() == [0.0] * (PARTS - 12) + [2.0] * 12


HOSTILE = (
    ({"Host": "evil.example"}, "/", 403),
    ({"Host": "127.0.0.1.evil.example"}, "/", 403),
    ({"Host": ""}, "/", 403),
    ({"Origin": "http://evil.example"}, "/events", 403),
    ({"Origin": "null"}, "/", 403),
    ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, "/data/standings.csv", 403),
    ({}, "/../../etc/passwd", 404),
    ({}, "/%2e%2e/%2e%2e/etc/passwd", 404),
    ({}, "/match/..%2f..%2fsecret/", 404),
    ({}, "/match/99999999999999999999/", 404),
    ({}, "/match/999/", 404),
    ({}, "/match/0/", 404),
    ({}, "/site.py", 404),
)


@pytest.mark.parametrize(("headers", "address", "status"), HOSTILE)
def test_a_hostile_request_gets_nothing(
    demo: Path, headers: dict[str, str], address: str, status: int
) -> None:
    async def look(client: Client) -> None:
        target = URL(f"http://127.0.0.1:{client.port}{address}", encoded=True)
        async with client.session.get(target, headers=headers) as reply:
            text = await reply.text()
        assert reply.status == status
        assert str(demo.parent) not in text
        assert len(text) < 100

    served(look, demo)


def test_answers_have_a_policy_and_only_reading_is_allowed(demo: Path) -> None:
    async def look(client: Client) -> None:
        reply = await client.get("/")
        assert "default-src 'none'" in reply.headers["Content-Security-Policy"]
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert "Access-Control-Allow-Origin" not in reply.headers
        assert str(demo.parent) not in await reply.text()
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
            assert (await client.request(method, "/")).status == 405

    served(look, demo)


def test_another_host_needs_the_token(demo: Path) -> None:
    async def look(client: Client) -> None:
        for wrong in ("/", "/events", "/?token=", "/?token=open", "/?token=sesam%C3%A9"):
            assert (await client.get(wrong)).status == 403
        let_in = await client.get("/?token=sesame", allow_redirects=False)
        cookie = let_in.headers["Set-Cookie"]
        assert let_in.status == 302
        assert "token" not in let_in.headers["Location"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert (await client.get("/", headers={"Cookie": cookie.split(";")[0]})).status == 200

    served(look, demo, host="0.0.0.0", token="sesame")


def test_streams_are_few_and_a_finished_run_ends_its_own(demo: Path) -> None:
    async def look(client: Client) -> None:
        reply = await client.get("/events")
        (line,) = [each for each in (await reply.text()).splitlines() if each]
        data = json.loads(line.removeprefix("data: "))
        assert data["end"]
        assert data["pill"] == "✓ finished"

    served(look, demo)

    async def crowd(client: Client) -> None:
        replies = await asyncio.gather(*(client.get("/events") for _ in range(MOST_STREAMS + 8)))
        assert {reply.status for reply in replies} <= {200, 503}
        for reply in replies:
            reply.close()
        assert (await client.get("/agents/")).status == 200

    served(crowd, demo)


def test_a_save_that_vanishes_leaves_its_figures_and_no_traceback(tmp_path: Path) -> None:
    path = finished(tmp_path)

    async def look(client: Client) -> None:
        assert (await client.get("/")).status == 200
        path.unlink()
        reply = await client.get("/match/1/")
        assert reply.status in (404, 503)
        assert str(tmp_path) not in await reply.text()

    served(look, path)


def test_several_saves_stand_below_their_names(demo: Path, tmp_path: Path) -> None:
    other = finished(tmp_path)

    async def look(client: Client) -> None:
        assert "2 tournaments" in await (await client.get("/")).text()
        for address in ("/demo/", f"/{other.stem}/", f"/{other.stem}/match/1/", "/style.css"):
            assert (await client.get(address)).status == 200, address

    served(look, demo, other)


def test_hostile_words_stay_text(tmp_path: Path) -> None:
    path = hostile_save(tmp_path / "hostile.db")
    with Save(path) as save:
        matches = {match.game: match.number for match in save.matches("finished")}
    for number in matches.values():
        text = replay_page(path, number, "0").decode()
        page = Page(text)
        assert page.complete
        assert len(page.root.all("script")) == 1
        assert not page.root.all("img")
        assert not {sign for sign in text if sign < " " and sign != "\n"}
        assert "\u202e" not in text
        assert len(text) < 1_000_000


def test_a_taken_port_is_one_line(demo: Path, tmp_path: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        words = refused("serve", demo, "--port", taken.getsockname()[1], cwd=tmp_path)
    assert "cannot be served" in words
