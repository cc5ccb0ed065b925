"""Driver that takes the terminal again after the process was stopped and continued."""

import os
import signal

from textual.drivers.linux_driver import LinuxDriver


class TerminalDriver(LinuxDriver):
    """Textual's driver with stops handled between two turns of the event loop.

    Textual's own works within the signal handler, where a lock that the interrupted code holds
    blocks it forever; and after a stop that no handler saw (SIGSTOP) it starts a second reader of
    the keys and takes raw modes for those to restore.
    """

    def _sigtstp_application(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(super()._sigtstp_application)

    def _sigcont_application(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._continue)

    def _continue(self) -> None:
        """Takes the terminal again, or sleeps on until it is ours."""
        if not self._auto_restart or self._app._exit:
            return
        if self._is_in_background():
            os.kill(os.getpid(), signal.SIGSTOP)
            return
        if not self._must_signal_resume:  # stopped unseen: the modes were never given back
            self.suspend_application_mode()
            self._must_signal_resume = True
        self.resume_application_mode()

    def _is_in_background(self) -> bool:
        """True while a shell has given the terminal to another job, or to itself."""
        try:
            return os.tcgetpgrp(self.fileno) != os.getpgrp()
        except OSError:  # not the terminal that controls us: no shell gives it away
            return False
