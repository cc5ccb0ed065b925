"""A model with a scratchpad: it thinks freely first, and answers with that before its eyes.

It thinks anew before each answer but those to probes; nothing of it is kept for a later ask. An
answer that is to be fixed goes by the same thinking.
"""

from pathlib import Path
from typing import Any

from parlour.agents.base import Call, Reply
from parlour.agents.llm.agent import Advice, LLMAgent
from parlour.agents.llm.answer_parser import split_thinking
from parlour.agents.model_calls import Completion, Request
from parlour.games.common.text import clean
from parlour.games.engine.moves import Ask
from parlour.games.engine.prompts import fill
from parlour.games.engine.registry import find_game
from parlour.games.engine.table import View

LONGEST_SHOWN = 4000
"""Characters of the thinking that are kept and put into the prompt of the answer."""

_TEMPLATES = Path(__file__).parent / "templates"


class ScratchpadAgent(LLMAgent):
    """A contestant that a model plays, and that thinks in words of its own before it answers."""

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Asks the model what it thinks, then for its answer."""
        if ask.probe:
            return await super().act(ask, view, call)
        if call.earlier:
            scratchpad = str(call.notes[-1]["scratchpad"])  # of the try before this one
        else:
            wish = self._thinking_request(ask, view)
            scratchpad = _thought(await call.complete(self.client, wish))
        texts, templates = self._filled("thought_over.j2", ask, view, scratchpad)
        request = self.request(ask, view, call, Advice(texts[0], templates))
        reply = await self.answered(request, call)
        return Reply(reply.value, {**reply.notes, "scratchpad": scratchpad}, reply.text)

    def _thinking_request(self, ask: Ask[Any], view: View) -> Request:
        """The question at hand without its form, with the wish to think first."""
        prompt = self.prompt(ask, view)
        (wish,), templates = self._filled("scratchpad.j2", ask, view)
        return Request(
            (("system", prompt.system), ("user", f"{prompt.question}\n\n{wish}")),
            self.config.parameters_for("scratchpad"),
            form="text",
            templates=prompt.templates + templates,
        )

    def _filled(
        self, name: str, ask: Ask[Any], view: View, scratchpad: str = ""
    ) -> tuple[list[str], tuple[tuple[str, str], ...]]:
        more = {"kind": ask.kind, "scratchpad": scratchpad}
        game = find_game(view.game, view.game)
        return fill(game, view, (name,), self.own_prompts, _TEMPLATES, more)


def _thought(completion: Completion) -> str:
    """What the model thinks: its text, or where it left that blank what it thought unasked.

    A refusal is not kept. Only the server's word makes it one: who thinks may well write that
    it cannot tell.
    """
    if completion.finish in {"refusal", "content_filter"}:
        return ""
    text, thinking = split_thinking(completion)
    return clean(text.strip() or thinking.strip(), LONGEST_SHOWN)
