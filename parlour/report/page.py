"""The page: all sections of a report, filled into the template."""

from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from parlour.games.engine.transcript import counted
from parlour.ratings.reports.never_met import never_met_sentences
from parlour.report.conduct import conduct
from parlour.report.course import cooperation, race
from parlour.report.decided import decided
from parlour.report.methods import methods
from parlour.report.profile import capabilities
from parlour.report.reliability import reliability
from parlour.report.repeat import repeat, stored_text
from parlour.report.source import Source, read_source
from parlour.report.standings import by_condition, by_game, by_role, overall, title_of
from parlour.report.ties import networks, tones
from parlour.report.told import stories
from parlour.tui.look.palette import DAY, NIGHT, Palette, Ramp, contrast

TEMPLATES = Path(__file__).parent / "templates"
READABLE = 4.5
"""The least contrast of ink on its ground (WCAG 2.2, AA)."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The head of the page: facts with their labels, and what is not as usual."""

    facts: list[tuple[str, str]]
    warnings: list[str]


def report_page(path: Path) -> str:
    """Returns the page of a save. BadInput if no match is finished, or for a fork."""
    return page_of(read_source(path))


def page_of(source: Source) -> str:
    """Returns the page of what was read from a save."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    sections = [
        overall(source),
        *decided(source),
        capabilities(source),
        *reliability(source),
        by_game(source),
        by_role(source),
        by_condition(source),
        race(source),
        networks(source),
        cooperation(source),
        tones(source),
    ]
    return environment.get_template("page.html.j2").render(
        name=source.name,
        summary=_summary(source),
        sections=sections,
        conduct=conduct(source),
        methods=methods(source),
        stories=stories(source),
        repeat=repeat(source.tournament),
        stored=stored_text(source.tournament),
        save=source.path.name,
        version=source.version,
        themes={"light": theme_tokens(DAY), "dark": theme_tokens(NIGHT)},
    )


def _summary(source: Source) -> Summary:
    total, over = source.count.matches, source.board.matches
    facts = [
        ("matches", f"{over:,} of {total:,}"),
        ("games", ", ".join(map(title_of, source.games))),
        ("agents", str(len(source.tournament.agents))),
        ("schedule", source.tournament.schedule.replace("_", " ")),
        ("seed", str(source.tournament.seed)),
    ]
    warnings = []
    if not source.count.done:
        warnings.append(
            f"Snapshot of a tournament that is not over: {over:,} of {total:,} matches were"
            " finished when this page was made, and every number is of these alone."
        )
    if source.count.frozen:
        frozen = counted(source.count.frozen, "match")
        warnings.append(f"{frozen} could not be replayed and left out.")
    if source.tournament.other_versions():
        warnings.append(f"Versions of games: {source.tournament.other_versions()}.")
    warnings += never_met_sentences(source.board.never_met)
    warnings += [f"{each.sentence}." for each in source.remarks if each.level == "warning"]
    return Summary(facts, warnings)


def theme_tokens(palette: Palette) -> dict[str, str]:
    """The CSS variables of a theme."""
    names = ("bg", "panel", "raised", "rule", "grid", "text", "soft", "accent", "good", "warn",
             "bad", "on_chip", "cooperate", "defect", "on_cell", "helped", "refused")  # fmt: skip
    tokens = {name.replace("_", "-"): getattr(palette, name) for name in names}
    tokens |= {f"p{index}": colour for index, colour in enumerate(palette.people)}
    for sign, ramp in (("h", palette.heat), ("d", palette.strength)):
        tokens |= _ramp(sign, ramp, palette)
    return tokens


def _ramp(sign: str, ramp: Ramp, palette: Palette) -> dict[str, str]:
    """The grounds of a ramp, with inks that can be read on them."""
    tokens = {}
    for index, (colour, ink) in enumerate(zip(ramp.colours, ramp.inks, strict=True)):
        inks = (ink, palette.text, "#FFFFFF", "#000000")
        readable = [each for each in inks if contrast(each, colour) >= READABLE]
        tokens[f"{sign}{index}"] = colour
        tokens[f"{sign}{index}-ink"] = readable[0]
    return tokens
