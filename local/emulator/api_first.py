"""Corrections that keep the work of queues from delaying requests for which a caller waits."""

import asyncio
import gc
import os
import sys
import threading
import time

from ministack import app
from ministack.core import lambda_runtime as runtime
from ministack.services import lambda_svc, sts

from .callers import function_that_signed
from .patching import replace_function, require_attributes

# The longest time that a worker's request waits for open requests to an API. It is then served beside them, so that
# the work of queues continues under a steady flow of requests.
MAX_SECONDS_BEHIND_APIS = 0.05
# Python's default, 5 ms, is half of what a request to an API takes here.
SECONDS_OF_A_THREAD = 0.0005
NICENESS_OF_WORKERS = 10
# With Python's default, 10, a burst of 2,000 leads causes six full collections.
YOUNGER_COLLECTIONS_PER_FULL_ONE = 1000

_behind_apis = set()


def serve_apis_first():
    """MiniStack serves the requests of all workers and clients in one thread, in the order of arrival. It reads no
    new request before all earlier ones are served. On AWS, a burst in a queue delays no request to an API.
    With this correction, the workers of functions behind queues, streams and schedules wait while a request to an API
    is open, are served one at a time, and give way to it on the processor. If EMULATOR_IDLE_WORKERS is 1, they run on
    idle processors only, and never on the first one."""
    patch = serve_apis_first
    require_attributes(((app, "_parse_execute_api_url"), (sts, "_sessions")), patch)
    sys.setswitchinterval(SECONDS_OF_A_THREAD)
    open_requests = _OpenRequests()
    are_idle = os.environ.pop("EMULATOR_IDLE_WORKERS", "") == "1"

    def make_api(stock):
        async def api(host, path, *args, **kwargs):
            if app._parse_execute_api_url(host, path) is None:
                return await stock(host, path, *args, **kwargs)
            with open_requests:
                return await stock(host, path, *args, **kwargs)
        return api

    def make_execute(stock):
        def execute(func, event, request_id):
            if isinstance(event, dict) and "http" in (event.get("requestContext") or {}):
                _behind_apis.add(func["config"]["FunctionName"])
            return stock(func, event, request_id)
        return execute

    def make_app(stock):
        async def behind_apis(scope, receive, send):
            caller = scope["type"] == "http" and function_that_signed(_authorization(scope), {})
            if caller and caller not in _behind_apis:
                await open_requests.pass_by()
            await stock(scope, receive, send)
        return behind_apis

    def make_poll(stock):
        def poll():
            open_requests.pass_by_in_thread()
            return stock()
        return poll

    def make_spawn(stock):
        def spawn(self):
            stock(self)
            if self.config.get("FunctionName") not in _behind_apis:
                _make_patient(self._proc.pid, are_idle)
        return spawn

    parameters = ("host", "path", "method", "headers", "body", "query_params", "raw_path", "raw_query_string")
    replace_function(app, "_handle_execute_api_request", parameters, patch, make_api)
    replace_function(lambda_svc, "_execute_function_warm", ("func", "event", "request_id"), patch, make_execute)
    replace_function(app, "app", ("scope", "receive", "send"), patch, make_app)
    replace_function(lambda_svc, "_poll_sqs", (), patch, make_poll)
    replace_function(runtime.Worker, "_spawn", ("self",), patch, make_spawn)


def collect_garbage_seldom():
    """A full collection of Python's garbage stops all requests for more than 0.1 s, mostly to visit modules, which are
    never garbage. With this correction, it skips the modules and is rare."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], YOUNGER_COLLECTIONS_PER_FULL_ONE)


def _authorization(scope):
    value = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
    return {"authorization": value.decode("latin-1")}


def _make_patient(pid, is_idle):
    os.setpriority(os.PRIO_PROCESS, pid, NICENESS_OF_WORKERS)
    if hasattr(os, "SCHED_BATCH"):
        # A batch process does not interrupt others when it wakes up. An idle one also ends its turn for them, and
        # starves beside a program that uses all processors.
        os.sched_setscheduler(pid, os.SCHED_IDLE if is_idle else os.SCHED_BATCH, os.sched_param(0))
        if is_idle:
            _leave_the_first_processor(pid)


def _leave_the_first_processor(pid):
    """An idle process still gets short turns beside a busy one: a few of them delay a request by several
    milliseconds."""
    others = sorted(os.sched_getaffinity(pid))[1:]
    if others:
        os.sched_setaffinity(pid, others)


class _OpenRequests:
    """A counter of the open requests to APIs, and a context manager that counts one of them."""

    def __init__(self):
        self._number = 0
        self._none = threading.Event()
        self._none.set()
        self._line = asyncio.Lock()
        self._end = None

    def __enter__(self):
        self._number += 1
        self._none.clear()

    def __exit__(self, *_error):
        self._number -= 1
        if self._number == 0:
            self._none.set()
            if self._end and not self._end.done():
                self._end.set_result(None)

    def pass_by_in_thread(self):
        """Return when no request is open, or after the longest wait."""
        self._none.wait(MAX_SECONDS_BEHIND_APIS)

    async def pass_by(self):
        """Return when no request is open, or after the longest wait. At most one caller returns in each turn of the
        event loop, which reads newly arrived requests between two turns."""
        until = time.monotonic() + MAX_SECONDS_BEHIND_APIS
        async with self._line:
            while self._number > 0 and (left := until - time.monotonic()) > 0:
                if self._end is None or self._end.done():
                    self._end = asyncio.get_running_loop().create_future()
                await asyncio.wait((self._end,), timeout=left)
            await asyncio.sleep(0)
