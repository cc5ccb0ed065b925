"""The gossip feed of a match, with the truth of each message, and each player's standing."""

from rich.text import Text

from parlour.games.engine.board import Feed, FeedItem, Matrix
from parlour.games.engine.moves import player
from parlour.tui.models.save_view import Focus
from parlour.tui.text import BOLD, DIM, WARN, one_line

HINT = "by:1 about:2 tone:praising, or words of the message"


def feed_lines(feed: Feed, wanted: str) -> list[Text]:
    """The messages, oldest first; ``wanted`` filters by speaker, subject, tone or words."""
    lines = [_line(item) for item in feed.items if _fits(item, wanted)]
    if not lines:
        return [
            Text("No message fits the filter: / changes it." if wanted else "No gossip yet.", DIM)
        ]
    return [Text(f"Only: {one_line(wanted)}", DIM), *lines] if wanted else lines


def standing(focus: Focus, matrix: Matrix) -> list[Text]:
    """Holdings and reputation of each seat, in order: + good, - bad, · neutral."""
    lines = []
    for seat, agent in enumerate(focus.match.agents):
        known = matrix.reputation[seat]
        line = Text(f"{player(seat)} ", BOLD).append(one_line(agent), "not bold")
        holds = f"  {matrix.holding} {matrix.holdings[seat]:.10g}"
        lines.append(line.append(holds, "not bold"))
        if known:
            balance = known.count("+") - known.count("-")
            lines.append(Text(f"   {balance:+d}  {known}", DIM))
    return lines


def _line(item: FeedItem) -> Text:
    speaker = player(item.speaker)
    line = Text(f"{item.round:>2} ", DIM)
    if not item.tone:
        line.append(f"{speaker} about itself: {one_line(item.text)}", "default")
    else:
        line.append(f"{speaker} → {player(item.about)} ", "default").append(item.tone, BOLD)
        if item.text:
            line.append(f" {one_line(item.text)}", "default")
    if item.true is False:
        line.append("  ✗ untrue", WARN)
    return line


def _fits(item: FeedItem, wanted: str) -> bool:
    """True if a message passes a filter such as ``by:3 tone:criticism stingy``."""
    for part in wanted.casefold().split():
        key, colon, value = part.partition(":")
        if colon and key in {"by", "about"}:
            seat = item.speaker if key == "by" else item.about
            if value != str(seat + 1):
                return False
        elif colon and key == "tone":
            if not item.tone.startswith(value):
                return False
        elif part not in f"{item.text} {item.tone}".casefold():
            return False
    return True
