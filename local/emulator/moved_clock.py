"""Corrections for tests that move the clock."""

import json
import threading
import time
import types

from ministack import app
from ministack.services import lambda_svc, scheduler

from . import clock
from .patching import replace_function, require

PATH = "/_ministack/clock"


def deliver_at_once_what_a_moved_clock_makes_due():
    """The emulator checks for delayed messages and due schedules once a second. With this correction, it also checks
    as soon as the clock is moved, so that a test that moves the clock by hours does not wait for seconds."""
    patch = deliver_at_once_what_a_moved_clock_makes_due
    require(hasattr(lambda_svc, "_esm_wake"), patch, "lambda_svc._esm_wake")
    require(scheduler.time is time, patch, "scheduler to import time")
    moved = threading.Event()

    def sleep(seconds):
        moved.wait(seconds)
        moved.clear()

    scheduler.time = types.SimpleNamespace(**{**vars(time), "sleep": sleep})
    clock.when_moved(lambda_svc._esm_wake.set)
    clock.when_moved(moved.set)


def tell_the_clock():
    """MiniStack does not know that its clock can be moved. GET /_ministack/clock reads the offset file and returns
    `seconds`, by which the clock is ahead from then on."""

    def make_health(stock):
        def health(path, request_id):
            if path != PATH:
                return stock(path, request_id)
            headers = {"Content-Type": "application/json", "x-amzn-requestid": request_id}
            return 200, headers, json.dumps({"seconds": clock.read()}).encode()
        return health

    replace_function(app, "_handle_health_request", ("path", "request_id"), tell_the_clock, make_health)
