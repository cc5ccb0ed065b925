"""The terminal that the app runs on, which outlives being stopped from outside."""

from textual.drivers.linux_driver import LinuxDriver


class Terminal(LinuxDriver):
    """Textual's own, except that whatever continues the process takes the terminal anew.

    Textual takes each SIGCONT for the end of a Ctrl-Z, before which it has let go of the terminal.
    After ``kill -STOP`` it has not: it would read the keys twice and never come to an end.
    """

    _let_go = False

    def suspend_application_mode(self) -> None:
        """Lets go of the terminal."""
        self._let_go = True
        super().suspend_application_mode()

    def resume_application_mode(self) -> None:
        """Takes the terminal; the app hears of it and draws everything."""
        if not self._let_go:
            super().suspend_application_mode()
        self._let_go = False
        super().resume_application_mode()
        self.send_message(self.SignalResume())
