"""A model with a scratchpad: a first call writes free text, and the second sees it and answers.

Each ask except probes has its own scratchpad; repairs of an answer reuse it.
"""

from pathlib import Path
from typing import Any

from parlour.agents.base import Call, Reply
from parlour.agents.llm.agent import Advice, LLMAgent
from parlour.agents.llm.thinking import split_thinking
from parlour.agents.model_calls import Completion, Request
from parlour.games.common.text import clean
from parlour.games.engine.events import View
from parlour.games.engine.moves import Ask
from parlour.games.engine.prompts import fill
from parlour.games.engine.registry import find_game

LONGEST_SHOWN = 4000
"""Characters of the scratchpad that are stored and put into the prompt of the answer."""

_TEMPLATES = Path(__file__).parent / "templates"


class ScratchpadAgent(LLMAgent):
    """An agent that a model plays, and that writes a scratchpad before it answers."""

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Asks the model for its scratchpad, then for its answer."""
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
        """The question without a response format, with the request to think first."""
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
    """The scratchpad: the text, or the model's own thinking if the text is empty.

    A refusal is dropped. Only the server can report one, since a scratchpad may well say "I
    cannot tell".
    """
    if completion.finish in {"refusal", "content_filter"}:
        return ""
    text, thinking = split_thinking(completion)
    return clean(text.strip() or thinking.strip(), LONGEST_SHOWN)
