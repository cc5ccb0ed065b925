"""docs/python.md: its blocks run as a script in a thread, and as a notebook."""

import sys
from pathlib import Path

import nbclient
import nbformat
import pytest

from tests.blocks import blocks
from tests.tournaments import ROOT, called, environment

PAGE = "docs/python.md"

CHECKS = """
board = parlour.open("first.db").leaderboard().set_index("agent")["judgment"]
assert dict(judgment) == dict(board[judgment.index]), (judgment, board)
assert 0 < judgment["Rowan"] < 1
assert match.outcome.ending and len(match.view(1)) < len(match.events)
assert table.outcome.ending
assert sorted(grown["agent"]) == ["Bea", "Gwen", "Rowan"] and set(grown["matches"]) == {32}
own = save.answers()
clues = own[(own["agent"] == "Mine") & (own["kind"] == "clue")]["value"]
assert {clue["text"] for clue in clues} == {"What the others said fits mine too"}
assert own["fault"].isna().all()
"""


def test_the_blocks_run_as_a_script_in_a_thread(tmp_path: Path) -> None:
    code = "\n".join([*blocks(PAGE, "python"), CHECKS])
    threaded = (
        "import sys, threading\n"
        f"names, code = {{}}, {code!r}\n"
        "def work():\n    exec(code, names)\n    print('done')\n"
        "thread = threading.Thread(target=work)\nthread.start()\nthread.join()\n"
    )
    done = called(sys.executable, "-c", threaded, cwd=tmp_path, env=environment())
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout.endswith("done\n")


@pytest.mark.slow
def test_the_page_runs_as_a_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    notebook = nbformat.v4.new_notebook()
    cells = ["import asyncio; assert asyncio.get_running_loop()", *blocks(PAGE, "python"), CHECKS]
    cells.append(
        'again = await parlour.run_async(tournament, "own.db", agents={"Mine": Follower()})'
    )
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
    client = nbclient.NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    shown = [cell.outputs[-1] for cell in notebook.cells if cell.outputs]
    assert "text/html" in shown[0]["data"]  # the leaderboard
