"""The writers of reports: every format of one small report, character by character."""

import pytest

from parlour.games.common.forms import decimals
from parlour.games.common.tables import Column, ColumnTable
from parlour.ratings.reports.report import Report
from parlour.ratings.reports.writers import WRITERS

ROWS = [("=x|1", 0.5), ("y_&", None)]
COLUMNS: list[Column[tuple[str, float | None]]] = [
    Column("Agent", lambda row: row[0]),
    Column("Share", lambda row: row[1], decimals(2)),
]
REPORT = Report(
    fields=("agent", "share", "faults"),
    records=[{"agent": "=x|1", "share": 0.5, "faults": {"empty": 2}}, {"agent": "y_&"}],
    body={"agents": ["=x|1", "y_&"]},
    tables=[ColumnTable(COLUMNS, ROWS, "Shares"), ColumnTable(COLUMNS, ROWS[:1])],
    notes=["95 % of *all* matches.", "One more."],
    title="A_B",
    caption="x is [x].",
)

MARKDOWN = r"""# A\_B

x is \[x\].

## Shares

| Agent | Share |
| --- | --- |
| =x\|1 | 0.50 |
| y\_& | – |

| Agent | Share |
| --- | --- |
| =x\|1 | 0.50 |

95 % of *all* matches.

One more.
"""
LATEX = r"""\section*{A\_B}
x is [x].
\subsection*{Shares}
\begin{tabular}{ll}
\toprule
Agent & Share \\
\midrule
=x|1 & 0.50 \\
y\_\& & -- \\
\bottomrule
\end{tabular}
\begin{tabular}{ll}
\toprule
Agent & Share \\
\midrule
=x|1 & 0.50 \\
\bottomrule
\end{tabular}
95 \% of *all* matches.
One more.
"""
CSV = """agent,share,faults
'=x|1,0.5,"{""empty"": 2}"
y_&,,
"""
JSON = """{
  "agents": [
    "=x|1",
    "y_&"
  ]
}
"""


@pytest.mark.parametrize(
    ("format", "text"), [("md", MARKDOWN), ("latex", LATEX), ("csv", CSV), ("json", JSON)]
)
def test_a_report_in_each_format(format: str, text: str) -> None:
    assert WRITERS[format](REPORT) == text


def test_a_labelled_report_is_a_float_to_paste_with_true_minus_signs() -> None:
    column: Column[str] = Column("A - B", str)
    shown = ColumnTable([column], ["-0.50 [-1.00, -.25]", "gpt-4, 3-1-2, 1e-05"])
    report = Report((), (), {}, [shown], ["A - B."], caption="x & y.", label="tab:x")
    assert (
        WRITERS["latex"](report)
        == r"""% The preamble needs \usepackage{booktabs}.
\begin{table}[htbp]
\centering
\caption{x \& y.}
\label{tab:x}
\footnotesize
\begin{tabular}{l}
\toprule
A $-$ B \\
\midrule
$-$0.50 [$-$1.00, $-$.25] \\
gpt-4, 3-1-2, 1e-05 \\
\bottomrule
\end{tabular}
\par\smallskip\begin{minipage}{\linewidth}A $-$ B.\end{minipage}
\end{table}
"""
    )


def test_a_report_without_records_keeps_its_fields_and_titles() -> None:
    empty = Report(
        fields=("agent", "share"), records=(), body=[], tables=[ColumnTable(COLUMNS, [])]
    )
    assert WRITERS["csv"](empty) == "agent,share\n"
    assert WRITERS["md"](empty) == "| Agent | Share |\n| --- | --- |\n"
    assert WRITERS["json"](empty) == "[]\n"
