"""The unfinished work of the emulator, for tests that wait until it is finished."""

import json
import time

from ministack import app
from ministack.core import lambda_runtime as runtime
from ministack.services import dynamodb, lambda_svc, sqs

from .patching import replace_function, require_attributes

PATH = "/_ministack/under-way"

_polls = []


def tell_what_is_under_way():
    """MiniStack does not show whether it is idle: an undelivered change of a stream is invisible, and a message
    whose worker died looks like one in progress. GET /_ministack/under-way counts the work that proceeds by
    itself: `changes` that streams have not delivered, `messages` that a mapping may receive, `polls` that are
    receiving messages, `batches` that were received, and `invocations`. Delayed and invisible messages are not
    counted, because they wait for time to pass."""
    patch = tell_what_is_under_way
    wanted = (
        (lambda_svc, "_iter_all_esms"),
        (lambda_svc, "_esm_inflight"),
        (lambda_svc._dynamodb_stream_positions, "get_scoped"),
        (dynamodb, "stream_end_position"),
        (sqs, "_queue_by_arn"),
        (runtime, "workers_in_use"),
    )
    require_attributes(wanted, patch)

    def make_health(stock):
        def health(path, request_id):
            if path != PATH:
                return stock(path, request_id)
            headers = {"Content-Type": "application/json", "x-amzn-requestid": request_id}
            return 200, headers, json.dumps(_under_way()).encode()
        return health

    def make_poll(stock):
        def poll():
            _polls.append(1)
            try:
                return stock()
            finally:
                _polls.pop()
        return poll

    replace_function(app, "_handle_health_request", ("path", "request_id"), patch, make_health)
    replace_function(lambda_svc, "_poll_sqs", (), patch, make_poll)


def _under_way():
    mappings = [entry for entry in lambda_svc._iter_all_esms() if entry[2].get("Enabled", True)]
    # Count in the order in which work moves, so that no work is missed between two stages.
    return {
        "changes": sum(_undelivered(*entry) for entry in mappings),
        "messages": sum(_visible(mapping) for _account, _region, mapping in mappings),
        "polls": len(_polls),
        "batches": sum(list(lambda_svc._esm_inflight.values())),
        "invocations": runtime.workers_in_use(),
    }


def _undelivered(account, region, mapping):
    source = mapping.get("EventSourceArn", "")
    position = lambda_svc._dynamodb_stream_positions.get_scoped(account, region, mapping["UUID"])
    if ":dynamodb:" not in source or position is None:
        return 0
    table = source.split("/stream/")[0].split("/")[-1]
    return max(0, dynamodb.stream_end_position(table, account_id=account, region=region) - position)


def _visible(mapping):
    source = mapping.get("EventSourceArn", "")
    queue = sqs._queue_by_arn(source) if ":sqs:" in source else None
    if queue is None:
        return 0
    now = time.time()
    return sum(1 for message in list(queue["messages"]) if message["visible_at"] <= now)
