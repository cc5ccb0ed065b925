"""The command `similarity`."""

from dataclasses import asdict, fields
from itertools import chain

from parlour.agents.scripted.clue_bank import shipped_bank
from parlour.agents.scripted.similarity import TierSimilarity, similarity_by_tier
from parlour.cli.console_tables import print_table
from parlour.cli.options import AnyFormat, Force, OutFile
from parlour.cli.output import write_report
from parlour.games.engine.registry import games
from parlour.ratings.reports import cells
from parlour.ratings.reports.report import Column, Report, table

COLUMNS: list[Column[TierSimilarity]] = [
    Column("Game", lambda of_tier: of_tier.game),
    Column("Tier", lambda of_tier: of_tier.tier or cells.NOTHING),
    Column("Pairs", lambda of_tier: str(of_tier.pairs)),
    Column("Mean", lambda of_tier: cells.number(of_tier.mean)),
    Column("Standard error", lambda of_tier: cells.number(of_tier.se)),
    Column("Least", lambda of_tier: cells.number(of_tier.least)),
    Column("Most", lambda of_tier: cells.number(of_tier.most)),
]
NOTE = (
    "Cosine of the TF-IDF vectors of two words' clues in the shipped bank, over the shipped pairs."
)


def similarity(format: AnyFormat = "table", out: OutFile = None, force: Force = False) -> int:
    """Show how similar the words of the shipped pairs are, by difficulty."""
    bank = shipped_bank()
    rows = list(chain.from_iterable(similarity_by_tier(game, bank) for game in games().values()))
    shown = table(COLUMNS, rows)
    if format == "table" and out is None:
        print_table(shown.titles, shown.rows, right=range(2, len(shown.titles)))
        return 0
    records = [asdict(row) for row in rows]
    names = [field.name for field in fields(TierSimilarity)]
    report = Report(fields=names, records=records, body=records, tables=[shown], notes=[NOTE])
    write_report(report, format, out, force)
    return 0
