"""The command `similarity`."""

from dataclasses import asdict, fields
from itertools import chain
from pathlib import Path

from parlour.agents.scripted.similarity import TierSimilarity, similarity_by_tier
from parlour.cli.console_tables import show
from parlour.cli.options import AnyFormat
from parlour.games.common import forms
from parlour.games.common.tables import Column, ColumnTable
from parlour.games.engine.registry import games
from parlour.games.families.clues.clue_bank import shipped_bank
from parlour.ratings.reports.report import Report

COLUMNS: list[Column[TierSimilarity]] = [
    Column("Game", lambda of_tier: of_tier.game),
    Column("Tier", lambda of_tier: of_tier.tier or None),
    Column("Pairs", lambda of_tier: of_tier.pairs, forms.COUNT),
    Column("Mean", lambda of_tier: of_tier.mean, forms.decimals()),
    Column("Standard error", lambda of_tier: of_tier.se, forms.decimals()),
    Column("Least", lambda of_tier: of_tier.least, forms.decimals()),
    Column("Most", lambda of_tier: of_tier.most, forms.decimals()),
]
NOTE = (
    "Cosine of the TF-IDF vectors of two words' clues in the shipped bank, over the shipped pairs."
)


def similarity(format: AnyFormat = "table", out: Path | None = None, force: bool = False) -> int:
    """Show how similar the words of the shipped pairs are, by difficulty."""
    bank = shipped_bank()
    rows = list(chain.from_iterable(similarity_by_tier(game, bank) for game in games().values()))
    records = [asdict(row) for row in rows]
    names = [field.name for field in fields(TierSimilarity)]
    report = Report(names, records, records, [ColumnTable(COLUMNS, rows)], [NOTE])
    return show(report, format, out, force)
