"""Models that think before they act: in a scratchpad, or by an analysis of the table.

A scratchpad is free text, which a first call writes and the second one sees. Each ask except
probes has its own; repairs of an answer reuse it.

An analysis has two levels: what the player thinks of the others, and what it imagines each of
them to think. Each game declares which kind fits it (``Hints.analysis``): one that ends in a
belief matrix (``agents/llm/pgm.py``) and a target, or words alone. There is one before each action
for which there is something new to analyse: a clue since the last one, or a finished round.
Otherwise, and when a faulty answer is asked for again, the last analysis holds. Probes see it too.

Source: the MAGIC paper, section 4 and appendices A.5 and A.7: it analyses after each clue and
between rounds, and puts the analysis and the target into the prompt of the decision.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from parlour.agents.base import Call, Reply
from parlour.agents.llm import pgm
from parlour.agents.llm.agent import LLMAgent
from parlour.agents.llm.answer_parser import ParsedAnswer, read_answer, split_thinking, without_keys
from parlour.agents.llm.own_templates import fill
from parlour.agents.model_calls import Completion, Request
from parlour.games.common.text import clean
from parlour.games.engine.events import View
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Ask, Fault, FaultKind, player
from parlour.games.engine.prompts import Filled
from parlour.games.engine.registry import find_game
from parlour.games.families.word_game_words import one_told

LONGEST_SHOWN = 4000
"""Characters of a scratchpad or an analysis that are stored and put into the next prompt."""

_TEMPLATES = Path(__file__).parent / "templates"


class _ThinkingAgent(LLMAgent):
    """A language model that is first asked to think."""

    def _filled(self, name: str, ask: Ask[Any], view: View, more: Mapping[str, Any]) -> Filled:
        """A template of this folder, filled from the view and what more is known."""
        game = find_game(view.game, view.game)
        known = {"kind": ask.kind, **more}
        return fill(game, view, (name,), self.own_prompts, _TEMPLATES, known)


class ScratchpadAgent(_ThinkingAgent):
    """An agent that a model plays, and that writes a scratchpad before it answers."""

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Asks the model for its scratchpad, then for its answer."""
        if ask.probe:
            return await super().act(ask, view, call)
        if call.earlier:
            scratchpad = str(call.notes[-1]["scratchpad"])  # of the try before this one
        else:
            wish = self._thinking_request(ask, view, call)
            scratchpad = _thought(await call.complete(self.fitting, wish))
        advice = self._filled("thought_over.j2", ask, view, {"scratchpad": scratchpad})
        request = self.request(ask, view, call, advice)
        reply = await self.answered(request, call)
        return Reply(reply.value, {**reply.notes, "scratchpad": scratchpad}, reply.text)

    def _thinking_request(self, ask: Ask[Any], view: View, call: Call) -> Request:
        """The question without a response format, with the request to think first."""
        prompt = self.prompt(ask, view, call)
        wish = self._filled("scratchpad.j2", ask, view, {"scratchpad": ""})
        return Request(
            (("system", prompt.system), ("user", f"{prompt.question}\n\n{wish.texts[0]}")),
            self.config.parameters_for("scratchpad"),
            form="text",
            templates=prompt.templates + wish.templates,
        )


def _thought(completion: Completion) -> str:
    """The scratchpad: the text, or the model's own thinking if the text is empty.

    A refusal is dropped. Only the server can report one, since a scratchpad may well say "I
    cannot tell".
    """
    if completion.finish in {"refusal", "content_filter"}:
        return ""
    text, thinking = split_thinking(completion)
    return clean(text.strip() or thinking.strip(), LONGEST_SHOWN)


@dataclass(frozen=True, slots=True)
class AnalysisResult:
    """One analysis and its result; ``heard`` is the number of clues or rounds that it covers.

    ``beliefs`` and ``target`` are None where the analysis is words alone; ``fault`` says why its
    verdicts could not be read.
    """

    heard: int
    analysis: str
    beliefs: pgm.Matrix | None = None
    target: int | None = None
    fault: str | None = None

    def noted(self) -> dict[str, Any]:
        """The notes that are stored."""
        notes: dict[str, Any] = {"heard": self.heard, "analysis": self.analysis}
        if self.beliefs is not None:
            notes["beliefs"] = [list(row) for row in self.beliefs]
            notes["target"] = self.target
        if self.fault is not None:
            notes["analysis_fault"] = self.fault
        return notes


class DeliberatingAgent(_ThinkingAgent):
    """A language model that writes an analysis before it acts."""

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Asks the model for its analysis, if there is something new to analyse, then to act."""
        heard = _heard(ask, view)
        if not heard:
            return await super().act(ask, view, call)
        before = _last_thought(view, call)
        if before is not None and before.heard == heard:
            thought = before
        else:
            thought = await self._analysed(heard, before, ask, view, call)
        request = self.request(ask, view, call, self._advice("decision.j2", thought, ask, view))
        reply = await self.answered(request, call)
        return Reply(reply.value, {**reply.notes, **thought.noted()}, reply.text)

    async def _analysed(
        self, heard: int, before: AnalysisResult | None, ask: Ask[Any], view: View, call: Call
    ) -> AnalysisResult:
        """A new analysis, with the previous matrix updated by it."""
        name, form = self._form(view)
        prompt, wish = self.prompt(ask, view, call), self._advice(name, before, ask, view)
        knows = _knows_itself(view)
        fixed = view.seat if knows else None
        schema = pgm.schema_of(form, view.seats, fixed)
        question = f"{prompt.question}\n\n{wish.texts[0]}"
        templates = prompt.templates + wish.templates
        request = self.in_form(prompt.system, question, schema, "analysis", templates)
        analysis, data, fault = _read(await call.complete(self.fitting, request), request)
        if not _ends_in_beliefs(view):
            return AnalysisResult(heard, analysis, fault=fault)
        roles_told = find_game(view.game, view.game).scoring.special_told
        beliefs = (before and before.beliefs) or pgm.start(
            len(view.seats), view.seat, knows, roles_told
        )
        if form is pgm.Suspicions:
            beliefs = pgm.asked_for(beliefs, data.get("matrix"), fixed)
        else:
            factors = pgm.factors(data.get("verdicts"), len(view.seats))
            beliefs = pgm.updated(beliefs, factors, fixed)
        return AnalysisResult(
            heard, analysis, beliefs, pgm.target(beliefs, view.seat, knows), fault
        )

    def _form(self, view: View) -> tuple[str, type[BaseModel]]:
        """The template of the analysis, and the form in which it is asked for."""
        if not _ends_in_beliefs(view):
            return "analysis.j2", pgm.WordAnalysis
        if self.config.deliberation == "pgm_matrix":
            return "matrix.j2", pgm.Suspicions
        return "verdicts.j2", pgm.Verdicts

    def _advice(
        self, name: str, thought: AnalysisResult | None, ask: Ask[Any], view: View
    ) -> Filled:
        """A template that shows an analysis, if there is one."""
        game: Game = find_game(view.game, view.game)
        beliefs, special = thought.beliefs if thought else None, game.scoring.special
        more = {
            "analysis": thought.analysis if thought else "",
            "beliefs": beliefs,
            "target": None if thought is None or thought.target is None else player(thought.target),
            "special": special and one_told(special, view.events),
            "roles_told": game.scoring.special_told,
            "knows_itself": _knows_itself(view),
            "suspects_itself": beliefs is not None and pgm.suspects_itself(beliefs, view.seat),
            "suspicions": _suspicions(beliefs, view),
            "guidance": game.hints.analysis.guidance.get(ask.kind) if game.hints.analysis else None,
        }
        return self._filled(name, ask, view, more)


def _heard(ask: Ask[Any], view: View) -> int:
    """Number of clues or finished rounds to analyse before this ask; 0 for no analysis."""
    analysis = find_game(view.game, view.game).hints.analysis
    if analysis is None:
        return 0
    return len(view.told(analysis.after)) if analysis.after else ask.round - 1


def _suspicions(beliefs: pgm.Matrix | None, view: View) -> dict[str, str]:
    """Whom each other player suspects most, as the seat imagines; without those it cannot tell."""
    suspects = {
        seat: pgm.most_suspected(beliefs[seat])
        for seat in view.seats
        if beliefs is not None and seat != view.seat
    }
    return {
        player(viewer): player(suspect)
        for viewer, suspect in suspects.items()
        if suspect is not None
    }


def _ends_in_beliefs(view: View) -> bool:
    """True where the analysis ends in a belief matrix, not in words alone."""
    analysis = find_game(view.game, view.game).hints.analysis
    return analysis is not None and analysis.beliefs


def _knows_itself(view: View) -> bool:
    """True if the seat was told that it has the special role."""
    scoring = find_game(view.game, view.game).scoring
    roles = [event.record.get("role") for event in view.told("role")]
    return scoring.special_told and scoring.special in roles


def _last_thought(view: View, call: Call) -> AnalysisResult | None:
    """The seat's latest analysis in this match, from its own notes. ValueError for damaged ones."""
    for notes in reversed(call.notes):
        if "heard" in notes:
            heard, analysis = int(notes["heard"]), str(notes["analysis"])
            if "beliefs" not in notes:
                return AnalysisResult(heard, analysis, fault=notes.get("analysis_fault"))
            beliefs = pgm.read_matrix(notes["beliefs"], len(view.seats))
            target = pgm.target(beliefs, view.seat, _knows_itself(view))
            return AnalysisResult(heard, analysis, beliefs, target, notes.get("analysis_fault"))
    return None


def _read(completion: Completion, request: Request) -> tuple[str, dict[str, Any], str | None]:
    """The words of an analysis, its data, and the fault that made the data unreadable.

    Text that is not a JSON object is stored as it was written; no verdict is guessed from it. A
    refusal is not stored: it would only be repeated.
    """
    parsed = read_answer(completion, request.schema)
    data = without_keys(parsed) if isinstance(parsed, ParsedAnswer) else parsed
    if isinstance(data, Fault):
        text = "" if data.kind is FaultKind.REFUSAL else split_thinking(completion)[0]
        return clean(text.strip(), LONGEST_SHOWN), {}, data.kind.value
    words = data.get("analysis")
    return clean(words if isinstance(words, str) else "", LONGEST_SHOWN), data, None
