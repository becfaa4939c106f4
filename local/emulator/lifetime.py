"""The end of the emulator together with the program that started it."""

import os
import signal
import sys
import threading


def end_with_the_starting_program():
    """With EMULATOR_ENDS_WITH_STDIN=1, stop when standard input ends. The starting program holds its other
    end, which the system closes however that program ends, so that no emulator is left behind by a crash."""
    if os.environ.pop("EMULATOR_ENDS_WITH_STDIN", "") != "1":
        return

    def watch():
        while os.read(sys.stdin.fileno(), 1):  # not sys.stdin.read(): its lock would outlive the interpreter
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True, name="emulator-lifetime").start()
