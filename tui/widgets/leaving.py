"""The dialog that asks what happens to a running tournament when its viewer leaves."""

from parlour.tui.widgets.dialogs import Choice


class Leaving(Choice):
    """Asks what happens to a running tournament when its viewer leaves."""

    def __init__(self, state: str, note: str = "") -> None:
        """``state`` is the runner's: a tournament that is paused, or will be, stays so.

        ``note`` is what the user should know before choosing.
        """
        options = [
            ("leave", "keep it running; parlour attach opens it again"),
            ("pause", "finish the turns in flight, then pause"),
            ("stop", "stop it; it can be resumed"),
        ]
        if state == "paused":
            options[:2] = [("leave", "keep it paused; parlour attach opens it again")]
        elif state == "pausing":
            options[:2] = [
                ("leave", "leave now; it pauses after the turns in flight"),
                ("pause", "wait until it is paused"),
            ]
        elif state == "hung":
            options = [
                ("leave", "leave it as it is"),
                ("pause", "leave; it pauses once it answers again"),
                ("stop", "leave; it stops once it answers again"),
            ]
        super().__init__("Leave", options, note)
