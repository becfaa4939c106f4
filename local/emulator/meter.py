"""The meter of units that AWS would charge for."""

import collections
import contextvars
import json
import math
import os
import threading
import time

from ministack import app
from ministack.core import iam_actions, lambda_runtime
from ministack.services import dynamodb, eventbridge, lambda_svc, sqs

from .callers import function_that_signed
from .patching import replace_function, require_attributes

PATH = "/_ministack/meter"
MEMORY_PATH = "/_ministack/memory"
# The owners of requests that no function sent.
POLLERS, RULES = "(pollers)", "(rules)"
SQS_CHUNK = EVENT_CHUNK = 64 * 1024
READ_CHUNK = 4 * 1024
# The only unit that is not a sum.
MAX_MEMORY = "most_memory_kb"
READS = {"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"}
WRITES = {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}

_running = False
_units = collections.defaultdict(collections.Counter)
_most_memory = collections.Counter()
_counting = threading.Lock()
_page_bytes = contextvars.ContextVar("bytes_of_the_page_of_a_query", default=0)
_used = threading.local()


def meter_what_is_charged():
    """MiniStack does not count the units that AWS charges for. The first GET /_ministack/meter starts the count; each
    one returns the units by function: invocations with their time and log, the most memory of its workers, requests by
    service, and the read and write units of DynamoDB, by the size of items and with their indexes. Requests of the
    tests as root are not counted. GET /_ministack/memory returns the highest memory use of each function's workers
    since the start, in KB."""
    patch = meter_what_is_charged
    wanted = (
        (dynamodb, "_get_item_by_key"),
        (dynamodb, "_item_size_bytes"),
        (dynamodb, "_apply_index_projection"),
        (dynamodb, "_tables"),
        (app, "detect_service"),
    )
    require_attributes(wanted, patch)

    def make_health(stock):
        def health(path, request_id):
            global _running
            if path not in (PATH, MEMORY_PATH):
                return stock(path, request_id)
            headers = {"Content-Type": "application/json", "x-amzn-requestid": request_id}
            _running = _running or path == PATH
            with _counting:
                return 200, headers, json.dumps(_units if path == PATH else _most_memory).encode()
        return health

    replace_function(app, "_handle_health_request", ("path", "request_id"), patch, make_health)
    _meter_invocations(patch)
    _meter_requests(patch)
    _meter_items(patch)
    _meter_messages(patch)


def _add(owner, **units):
    with _counting:
        _units[owner].update(units)


def _note_memory(owner, process):
    kilobytes = _most_memory_kb(process)
    if not kilobytes:
        return
    with _counting:
        _most_memory[owner] = max(_most_memory[owner], kilobytes)
        if _running:
            _units[owner][MAX_MEMORY] = max(_units[owner][MAX_MEMORY], kilobytes)


def _chunks(size, of):
    return max(1, math.ceil(size / of))


def _meter_invocations(patch):
    def make_invoke(stock):
        def invoke(self, *args, **kwargs):
            is_metered, process = _running, self._proc
            before, started = _processor_ms(process) if is_metered else 0, time.monotonic()
            try:
                return stock(self, *args, **kwargs)
            finally:
                if is_metered:
                    is_warm = process is not None and process is self._proc
                    spent = (time.monotonic() - started) * 1000, _processor_ms(process) - before
                    _used.times = spent if is_warm else None
                _note_memory(self.config["FunctionName"], self._proc)
        return invoke

    def make_execute(stock):
        def execute(func, event, request_id):
            if not _running:
                return stock(func, event, request_id)
            _used.times = None
            answer = stock(func, event, request_id)
            log = answer.get("log") or ""
            units = {"invocations": 1, "log_bytes": len(log.encode()), **_metrics_of(log)}
            if _used.times:
                milliseconds, processor_ms = _used.times
                units.update(warm=1, warm_ms=milliseconds, warm_processor_ms=processor_ms)
            if isinstance(event, dict) and "http" in (event.get("requestContext") or {}):
                units["http_requests"] = 1
            _add(func["config"]["FunctionName"], **units)
            return answer
        return execute

    replace_function(lambda_runtime.Worker, "invoke", ("self", "args", "kwargs"), patch, make_invoke)
    replace_function(lambda_svc, "_execute_function_warm", ("func", "event", "request_id"), patch, make_execute)


def _metrics_of(log):
    """The metrics in a log, each with its dimensions (CloudWatch guide, "Embedded metric format")."""
    found = collections.Counter()
    for line in log.splitlines():
        if '"_aws"' not in line:
            continue
        entry = json.loads(line)
        for directive in entry["_aws"]["CloudWatchMetrics"]:
            for names in directive["Dimensions"]:
                of = ",".join(str(entry.get(name)) for name in names)
                found.update(f"metric {metric['Name']} of {of}" for metric in directive["Metrics"])
    return found


def _processor_ms(process):
    """The time that all threads of a process have had a processor."""
    total = 0
    tasks = f"/proc/{process.pid}/task" if process else ""
    for task in os.listdir(tasks) if os.path.isdir(tasks) else ():
        try:
            with open(f"{tasks}/{task}/schedstat") as statistics:
                total += int(statistics.read().split()[0])
        except OSError:
            pass  # The thread has ended.
    return total / 1_000_000


def _most_memory_kb(process):
    """The highest memory use of a process; 0 if the system has no such record."""
    try:
        with open(f"/proc/{process.pid}/status") as status:
            return next((int(line.split()[1]) for line in status if line.startswith("VmHWM:")), 0)
    except (AttributeError, OSError):
        return 0  # The process has ended, or this is no Linux.


def _caller(headers, query_params):
    """The function whose role signed the request, or None."""
    return function_that_signed(headers, query_params) if _running else None


def _meter_requests(patch):
    def make_dispatch(stock):
        async def dispatch(method, path, headers, body, query_params, request_id):
            caller = _caller(headers, query_params)
            service = app.detect_service(method, path, headers, query_params) if caller else None
            if service and service != "dynamodb":
                _add(caller, **_units_of(service, method, path, headers, body, query_params))
            return await stock(method, path, headers, body, query_params, request_id)
        return dispatch

    parameters = ("method", "path", "headers", "body", "query_params", "request_id")
    replace_function(app, "_dispatch_service_request", parameters, patch, make_dispatch)


def _units_of(service, method, path, headers, body, query_params):
    if service == "sqs":
        chunks = _chunks(len(body), SQS_CHUNK)
        return {"sqs_requests": chunks, "sqs_fair_requests": chunks if b'"MessageGroupId"' in body else 0}
    if service == "events":
        return {"events": sum(_chunks(len(one.get("Detail", "")), EVENT_CHUNK) for one in json.loads(body)["Entries"])}
    action = iam_actions.extract_iam_action(service, method, path, headers, body, query_params)
    return {action or service: 1}


def _meter_items(patch):
    def make_handle(stock):
        async def handle(method, path, headers, body, query_params):
            caller = _caller(headers, query_params)
            action = headers.get("x-amz-target", "").split(".")[-1]
            if not caller or action not in READS | WRITES:
                return await stock(method, path, headers, body, query_params)
            asked = json.loads(body)
            batch = _batch_units(asked) if action == "BatchGetItem" else 0
            read = _read_bytes(action, asked)
            _page_bytes.set(0)
            wanted = json.dumps({**asked, "ReturnConsumedCapacity": "INDEXES"}).encode()
            answer = await stock(method, path, headers, wanted, query_params)
            units = _item_units(action, asked, read + _page_bytes.get(), answer)
            if batch and answer[0] == 200:
                units["read_units"] = batch
            _add(caller, **units)
            return answer
        return handle

    def make_page(stock):
        def page_of(items, limit, table, index_name=None):
            page, stopped = stock(items, limit, table, index_name)
            entries = (dynamodb._apply_index_projection(one, table, index_name) for one in page)
            _page_bytes.set(sum(map(dynamodb._item_size_bytes, entries if index_name else page)) if _running else 0)
            return page, stopped
        return page_of

    parameters = ("method", "path", "headers", "body", "query_params")
    replace_function(dynamodb, "handle_request", parameters, patch, make_handle)
    parameters = ("items", "limit", "table", "index_name")
    replace_function(dynamodb, "_paginate_evaluated_items", parameters, patch, make_page)


def _item_units(action, asked, read_bytes, answer):
    status, _headers, body = answer
    capacity = json.loads(body).get("ConsumedCapacity") or [] if status == 200 else []
    reported = sum(one["CapacityUnits"] for one in (capacity if isinstance(capacity, list) else [capacity]))
    if action in READS:
        rate = 1 if asked.get("ConsistentRead") else 0.5
        chunked = 0 if action in ("BatchGetItem", "TransactGetItems") else rate * math.ceil(read_bytes / READ_CHUNK)
        return {"dynamodb_requests": 1, "read_units": max(reported, chunked)}
    # A write that its condition refused is charged, too (DynamoDB guide, "Condition expressions").
    refused = 2 * len(asked.get("TransactItems", ())) or 1
    return {"dynamodb_requests": 1, "write_units": reported if status == 200 else refused}


def _read_bytes(action, asked):
    """The stored size of the item that GetItem reads, else 0. A projection does not make a read cheaper."""
    table = dynamodb._tables.get(asked.get("TableName", "")) if action == "GetItem" else None
    item = dynamodb._get_item_by_key(table, asked["Key"]) if table else None
    return dynamodb._item_size_bytes(item) if item else 0


def _batch_units(asked):
    """The read units of a batch, whose items are rounded up one by one. An absent item counts as the smallest."""
    units = 0
    for name, wanted in asked.get("RequestItems", {}).items():
        table = dynamodb._tables.get(name)
        items = [dynamodb._get_item_by_key(table, key) for key in wanted["Keys"]] if table else []
        chunks = sum(_chunks(dynamodb._item_size_bytes(item) if item else 0, READ_CHUNK) for item in items)
        units += chunks * (1 if wanted.get("ConsistentRead") else 0.5)
    return units


def _meter_messages(patch):
    def make_receive(stock):
        def receive(queue_url, max_number):
            batch = stock(queue_url, max_number)
            if _running and batch:
                size = sum(len(message["body"]) for message in batch)
                _add(POLLERS, sqs_requests=_chunks(size, SQS_CHUNK))
            return batch
        return receive

    def make_delete(stock):
        def delete(queue_url, receipt_handles):
            if _running and receipt_handles:
                _add(POLLERS, sqs_requests=1)
            return stock(queue_url, receipt_handles)
        return delete

    def make_send(stock):
        def send(spec, payload, sqs_parameters=None):
            if _running:
                _add(RULES, sqs_requests=_chunks(len(payload), SQS_CHUNK))
            return stock(spec, payload, sqs_parameters)
        return send

    replace_function(sqs, "_receive_messages_for_esm", ("queue_url", "max_number"), patch, make_receive)
    replace_function(sqs, "_delete_messages_for_esm", ("queue_url", "receipt_handles"), patch, make_delete)
    replace_function(eventbridge, "_dispatch_to_sqs", ("spec", "payload", "sqs_parameters"), patch, make_send)
