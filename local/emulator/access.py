"""Corrections to IAM enforcement (AUTH=true)."""

import json
import re

from ministack import app
from ministack.core import iam_actions, sigv4

from .patching import replace_function

BATCHES = re.compile(r"Batch$")
SCHEDULE_PATH = re.compile(r"/schedules/([^/]+)")


def take_loopback_for_tls():
    """MiniStack sees plain HTTP, so that every `deny unless aws:SecureTransport` denies. AWS is reached
    over TLS; the loopback interface counts as that."""

    def make_pin(stock):
        def pin(source_ip, secure_transport):
            return stock(source_ip, True)
        return pin

    parameters = ("source_ip", "secure_transport")
    replace_function(app, "pin_request_origin", parameters, take_loopback_for_tls, make_pin)


def take_batches_for_their_action():
    """MiniStack asks for rights named after the request, such as sqs:SendMessageBatch, which AWS does not
    know. There the right to send, delete or hide one message is that of a batch."""

    def make_extract(stock):
        def extract(service, method, path, headers, body, query_params):
            action = stock(service, method, path, headers, body, query_params)
            return BATCHES.sub("", action) if action and action.startswith("sqs:") else action
        return extract

    parameters = ("service", "method", "path", "headers", "body", "query_params")
    patch = take_batches_for_their_action
    replace_function(iam_actions, "extract_iam_action", parameters, patch, make_extract)


def accept_signatures_of_any_time():
    """MiniStack compares the time of a signature with the machine's clock, while its answers carry the moved
    one, which clients follow. With a clock that tests move neither is right; only the signature counts."""

    def make_failure(_stock):
        def failure(signature, *, now=None):
            return None
        return failure

    patch = accept_signatures_of_any_time
    replace_function(sigv4, "request_time_failure", ("signature", "now"), patch, make_failure)


def name_the_group_of_a_schedule():
    """MiniStack evaluates every request on a schedule as one on the group `default`. AWS uses the group
    named in it, so that a role may be restricted to its own group."""

    def make_extract(stock):
        def extract(service, method, path, headers, body, query_params, region, account_id):
            match = SCHEDULE_PATH.fullmatch(path) if service == "scheduler" else None
            if match is None:
                return stock(service, method, path, headers, body, query_params, region, account_id)
            group = _schedule_group(body, query_params)
            return f"arn:aws:scheduler:{region}:{account_id}:schedule/{group}/{match[1]}"
        return extract

    patch = name_the_group_of_a_schedule
    parameters = ("service", "method", "path", "headers", "body", "query_params", "region", "account_id")
    replace_function(iam_actions, "extract_resource_arn", parameters, patch, make_extract)


def _schedule_group(body, query_params):
    named = (query_params or {}).get("groupName")
    if named:
        return named[0] if isinstance(named, list) else named
    try:
        return json.loads(body or b"{}").get("GroupName") or "default"
    except ValueError:
        return "default"
