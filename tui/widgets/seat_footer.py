"""The footer of a seat: whose turn it is, then the keys."""

from rich.text import Text
from textual.reactive import reactive

from parlour.tui.widgets.footer import FooterKey, KeyFooter


class SeatFooter(KeyFooter):
    """The keys behind a few words."""

    lead: reactive[Text] = reactive(Text())

    def render(self) -> Text:
        """The words, then the keys."""
        return Text(no_wrap=True).append_text(self.lead).append_text(super().render())

    def _key_at(self, column: int) -> FooterKey | None:
        return super()._key_at(column - self.lead.cell_len)
