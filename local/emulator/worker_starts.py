"""Corrections for fewer and cheaper starts of the Node.js workers that run Lambda functions."""

import hashlib
import io
import os
import pathlib
import shutil
import tempfile
import threading
import time
import types
import weakref
import zipfile

from ministack.core import cloudfront_js, node_pool
from ministack.core import lambda_runtime as runtime
from ministack.services import lambda_svc

from . import clock
from .patching import replace_function, replace_text, require, require_attributes

LOAD = """        const fullPath = path.resolve(code_dir, modPath);
"""
LOAD_COMPILED = """        const fullPath = path.resolve(code_dir, modPath);
        process.env.LAMBDA_TASK_ROOT = path.dirname(fullPath);
        process.chdir(process.env.LAMBDA_TASK_ROOT);
        Module.enableCompileCache(path.join(process.env.LAMBDA_TASK_ROOT, "..", "compiled"));
"""
ANSWER = """          _realStdoutWrite(JSON.stringify({ status: "ok", result: res }) + "\\n");
"""
ANSWER_AND_KEEP_COMPILED = """          _realStdoutWrite(JSON.stringify({ status: "ok", result: res }) + "\\n");
          if (lineNum === 2) setImmediate(() => Module.flushCompileCache());
"""

MAX_SECONDS_FOR_A_FREE_WORKER = 0.5
MAX_SECONDS_FOR_A_FIRST_ANSWER = 3

_unpacking = threading.Lock()
_packages = pathlib.Path(os.environ.pop("EMULATOR_PACKAGES", "") or os.path.join(tempfile.gettempdir(), "packages"))


def _empty_package():
    package = io.BytesIO()
    zipfile.ZipFile(package, "w").close()
    return package.getvalue()


EMPTY_PACKAGE = _empty_package()


def end_idle_workers_by_the_machines_clock():
    """MiniStack ends surplus workers that were idle for 300 s of its own clock. A test that moves this clock would
    end them all, and each next burst would start them again. AWS keeps execution environments for minutes."""
    require(runtime.time is time, end_idle_workers_by_the_machines_clock, "lambda_runtime to import time")
    runtime.time = types.SimpleNamespace(**{**vars(time), "time": clock.machine_time})


def wait_for_a_free_worker():
    """MiniStack starts a worker for each invocation that finds none free, although most workers are free again sooner
    than another one has started. If EMULATOR_WORKERS_AT_ONCE is a number, an invocation that finds that many workers
    of its function busy waits for one of them, and a further worker starts every half a second at most. An invocation
    also waits for the first answer of a worker that is just starting. AWS, too, gives an invocation to the first
    environment that becomes free while a new one starts."""
    patch = wait_for_a_free_worker
    at_once = int(os.environ.pop("EMULATOR_WORKERS_AT_ONCE", "") or 0)
    if at_once == 0:
        return
    wanted = ((runtime, "_lock"), (runtime, "_workers"), (runtime, "_worker_key"))
    require_attributes(wanted, patch)
    freed = threading.Condition(runtime._lock)
    answered = weakref.WeakSet()
    # When the latest worker of each function started, in seconds.
    starts = {}

    def may_start_at(workers, last_start, entered):
        """Return when an invocation that finds no free worker may start another one, in seconds."""
        if not all(worker in answered for worker in workers):
            return last_start + MAX_SECONDS_FOR_A_FIRST_ANSWER
        return max(last_start, entered) + MAX_SECONDS_FOR_A_FREE_WORKER if len(workers) >= at_once else entered

    def make_acquire(stock):
        def acquire(func_name, config, code_zip, qualifier="$LATEST", max_concurrency=None):
            key = runtime._worker_key(func_name, config, qualifier)
            entered = time.monotonic()
            with freed:
                while workers := runtime._workers.get(key):
                    if free := next((worker for worker in workers if not worker.in_use), None):
                        free.in_use, free.last_used = True, clock.machine_time()
                        return free, "reused"
                    left = may_start_at(workers, starts.get(key, entered), entered) - time.monotonic()
                    if left <= 0:
                        break
                    freed.wait(left)
                starts[key] = time.monotonic()
            return stock(func_name, config, code_zip, qualifier, max_concurrency)
        return acquire

    def make_release(stock):
        def release(worker):
            stock(worker)
            with freed:
                if worker:
                    answered.add(worker)
                freed.notify_all()
        return release

    parameters = ("func_name", "config", "code_zip", "qualifier", "max_concurrency")
    replace_function(lambda_svc, "acquire_worker", parameters, patch, make_acquire)
    replace_function(lambda_svc, "release_worker", ("worker",), patch, make_release)


def run_one_background_thread_per_worker():
    """V8 collects garbage on four threads, which get in each other's way on few processors. One takes 6 % less
    processor time for the short life of a worker."""
    os.environ.setdefault("NODE_OPTIONS", "--v8-pool-size=1")


def run_edge_functions_in_one_process():
    """MiniStack starts a process for each CloudFront function that runs while others run, and ends most of them
    afterwards: several for each page, which requests its scripts at once. These functions do no I/O and take a
    millisecond, so one process runs them one after the other."""
    patch = run_edge_functions_in_one_process
    require_attributes(((cloudfront_js, "_pool"), (node_pool, "_Worker")), patch)
    require(hasattr(cloudfront_js._pool, "recycle_after"), patch, "recycle_after")
    # Replacing the process would lose the calls that wait for their turn.
    cloudfront_js._pool.recycle_after = float("inf")

    def make_acquire(stock):
        def acquire(self):
            if self is not cloudfront_js._pool:
                return stock(self)
            with self._lock:
                if not self._workers:
                    self._workers.append(node_pool._Worker(self))
                return self._workers[0]
        return acquire

    replace_function(node_pool.NodeWorkerPool, "_acquire", ("self",), patch, make_acquire)


def compile_each_package_once():
    """MiniStack unpacks a function's package for each worker, and each worker compiles it again. With this
    correction, all workers load one copy, with the code that the first one compiled, in the folder EMULATOR_PACKAGES,
    which several emulators may share."""
    patch = compile_each_package_once
    script = runtime._NODEJS_WORKER_SCRIPT
    script = replace_text(script, LOAD, LOAD_COMPILED, patch)
    script = replace_text(script, ANSWER, ANSWER_AND_KEEP_COMPILED, patch)
    runtime._NODEJS_WORKER_SCRIPT = script

    def make_spawn(stock):
        def spawn(self):
            package, config = self.code_zip, self.config
            if not config.get("Runtime", "").startswith("nodejs") or config.get("Layers"):
                return stock(self)
            handler = os.path.join(_unpacked(package), config.get("Handler", "index.handler"))
            # An absolute path takes the place of the one in the worker's own folder, which stays empty.
            self.code_zip, self.config = EMPTY_PACKAGE, {**config, "Handler": handler}
            try:
                return stock(self)
            finally:
                self.code_zip, self.config = package, config
        return spawn

    replace_function(runtime.Worker, "_spawn", ("self",), patch, make_spawn)


def _unpacked(package):
    """Return the folder of a package, which is complete when it appears: other emulators may use the same folder."""
    folder = _packages / hashlib.sha256(package).hexdigest()[:32]
    with _unpacking:
        if not folder.exists():
            _packages.mkdir(parents=True, exist_ok=True)
            complete = tempfile.mkdtemp(dir=_packages)
            with zipfile.ZipFile(io.BytesIO(package)) as files:
                files.extractall(complete)
            try:
                os.rename(complete, folder)
            except OSError:
                # Another emulator was faster.
                if not folder.exists():
                    raise
                shutil.rmtree(complete)
    return str(folder)
