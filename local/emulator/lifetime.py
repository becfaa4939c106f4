"""The end of the emulator with the program that started it."""

import os
import signal
import sys
import threading


def end_with_the_starting_program():
    """Stop when standard input ends, if EMULATOR_ENDS_WITH_STDIN is 1. The starting program holds the other end,
    which the system closes even after a crash, so that no emulator is left running."""
    if os.environ.pop("EMULATOR_ENDS_WITH_STDIN", "") != "1":
        return

    def watch():
        while os.read(sys.stdin.fileno(), 1):  # not sys.stdin.read(): its lock would outlive the interpreter
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True, name="emulator-lifetime").start()
