"""The detection of recursive loops through queues."""

import contextvars
import hashlib
import re
import time

from ministack.services import cloudwatch, lambda_svc, sqs
from ministack.services.cloudformation import provisioners

from .patching import apply_after_create_and_update, replace_function, require, require_attributes

# "If your function is invoked approximately 16 times in the same chain of requests, then Lambda automatically
# stops the next function invocation in that request chain" (Lambda guide, "Recursive loop detection").
MAX_INVOCATIONS = 16
LINEAGE = re.compile(r"(?:^|;)\s*Lineage=([^;]*)")

_sent_with = contextvars.ContextVar("trace_header_of_the_request", default="")
_inherited = contextvars.ContextVar("lineage_of_the_messages", default=None)


def end_recursive_loops():
    """MiniStack ends a loop of functions that invoke each other, but not one through queues. AWS counts in the
    header X-Amzn-Trace-Id, which the SDK of a function sends, how often each function was invoked in a chain of
    requests (X-Ray guide, "Tracing header": Lineage). A queue stores the header with the message. An invocation
    beyond the limit is dropped: its messages go to the queue's dead-letter queue, and RecursiveInvocationsDropped
    counts it, unless the function allows recursive loops."""
    patch = end_recursive_loops
    wanted = (
        (sqs, "_queues_lock"),
        (sqs, "_get_q"),
        (sqs, "_dlq_sweep"),
        (sqs, "_delete_messages_for_esm"),
        (cloudwatch, "record_metric"),
    )
    require_attributes(wanted, patch)

    def make_handle(stock):
        async def handle(method, path, headers, body, query_params):
            _sent_with.set(headers.get("x-amzn-trace-id", ""))
            return await stock(method, path, headers, body, query_params)
        return handle

    def make_attributes(stock):
        def attributes(now, sys_attrs_input):
            made = stock(now, sys_attrs_input)
            if _sent_with.get():
                made.setdefault("AWSTraceHeader", _sent_with.get())
            return made
        return attributes

    def make_run(stock):
        def run(esm, func_rec, event, batch, queue_url, queue_name):
            lineage = _merged(message.get("sys", {}).get("AWSTraceHeader", "") for message in batch)
            rounds = lineage.get(_hash(func_rec["config"]), 0)
            if rounds >= MAX_INVOCATIONS and func_rec.get("recursive_loop") != "Allow":
                _drop(func_rec, batch, queue_url)
                return
            token = _inherited.set(lineage)
            try:
                stock(esm, func_rec, event, batch, queue_url, queue_name)
            finally:
                _inherited.reset(token)
        return run

    def make_trace_id(stock):
        def trace_id(config, inbound_trace_header=None):
            made = stock(config, inbound_trace_header) or stock({"TracingConfig": {"Mode": "Active"}})
            lineage = dict(_inherited.get() or _lineage(made))
            lineage[_hash(config)] = lineage.get(_hash(config), 0) + 1
            pairs = "|".join(f"{name}:{count}" for name, count in lineage.items())
            return f"{LINEAGE.sub('', made)};Lineage={pairs}"
        return trace_id

    parameters = ("method", "path", "headers", "body", "query_params")
    replace_function(sqs, "handle_request", parameters, patch, make_handle)
    replace_function(sqs, "_build_send_sys_attrs", ("now", "sys_attrs_input"), patch, make_attributes)
    parameters = ("esm", "func_rec", "event", "batch", "queue_url", "queue_name")
    replace_function(lambda_svc, "_run_sqs_batch", parameters, patch, make_run)
    parameters = ("config", "inbound_trace_header")
    replace_function(lambda_svc, "_xray_trace_id_for_invocation", parameters, patch, make_trace_id)


def apply_recursive_loop():
    """MiniStack ignores a function's RecursiveLoop in a template. AWS applies it."""
    patch = apply_recursive_loop
    handlers = provisioners._RESOURCE_HANDLERS.get("AWS::Lambda::Function", {})
    require({"create", "update", "update_with_logical_id"} <= handlers.keys(), patch, "create and update")
    require(hasattr(lambda_svc, "_put_function_recursion_config"), patch, "_put_function_recursion_config")

    def apply(name, props):
        loop = props.get("RecursiveLoop", "Terminate")
        answer = lambda_svc._put_function_recursion_config(name, {"RecursiveLoop": loop})
        if answer[0] >= 400:
            raise ValueError(f"AWS::Lambda::Function: {answer[2]!r}")

    apply_after_create_and_update(handlers, apply)


def _hash(config):
    return hashlib.sha256(config.get("FunctionArn", "").encode()).hexdigest()[:8]


def _lineage(header):
    """Return how often each function was invoked in the chain of requests."""
    found = LINEAGE.search(header or "")
    pairs = (pair.partition(":") for pair in found[1].split("|")) if found else ()
    return {name: int(count) for name, _, count in pairs if count.isdigit()}


def _merged(headers):
    merged = {}
    for lineage in map(_lineage, headers):
        for name, count in lineage.items():
            merged[name] = max(count, merged.get(name, 0))
    return merged


def _drop(func_rec, batch, queue_url):
    dimensions = {"FunctionName": func_rec["config"]["FunctionName"]}
    cloudwatch.record_metric("AWS/Lambda", "RecursiveInvocationsDropped", 1, "Count", dimensions)
    lambda_svc.logger.warning("a recursive loop of %s was ended", dimensions["FunctionName"])
    handles = {message["receipt_handle"] for message in batch}
    with sqs._queues_lock:
        queue = sqs._get_q(queue_url)
        for message in queue["messages"]:
            if message.get("receipt_handle") in handles:
                # As if all deliveries had failed.
                message.update(receive_count=1_000, visible_at=time.time())
        sqs._dlq_sweep(queue)
    # Without a dead-letter queue they are lost.
    sqs._delete_messages_for_esm(queue_url, handles)
