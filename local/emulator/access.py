"""Corrections to IAM enforcement (AUTH=true)."""

import json
import re

from ministack import app
from ministack.core import iam_actions, iam_evaluator, sigv4
from ministack.core.responses import get_account_id
from ministack.services import kms

from .patching import replace_function, require_attributes

BATCHES = re.compile(r"Batch$")
SCHEDULE_PATH = re.compile(r"/schedules/([^/]+)")


def take_loopback_for_tls():
    """MiniStack receives plain HTTP, so every policy that denies requests without aws:SecureTransport denies all of
    them. Clients reach AWS over TLS. This correction treats the loopback interface as secure."""

    def make_pin(stock):
        def pin(source_ip, secure_transport):
            return stock(source_ip, True)
        return pin

    parameters = ("source_ip", "secure_transport")
    replace_function(app, "pin_request_origin", parameters, take_loopback_for_tls, make_pin)


def take_batches_for_their_action():
    """MiniStack requires permissions named after the request, such as sqs:SendMessageBatch. AWS has no such
    permissions: the one to send, delete or hide a single message also covers a batch."""

    def make_extract(stock):
        def extract(service, method, path, headers, body, query_params):
            action = stock(service, method, path, headers, body, query_params)
            return BATCHES.sub("", action) if action and action.startswith("sqs:") else action
        return extract

    parameters = ("service", "method", "path", "headers", "body", "query_params")
    patch = take_batches_for_their_action
    replace_function(iam_actions, "extract_iam_action", parameters, patch, make_extract)


def accept_signatures_of_any_time():
    """MiniStack compares the time of a signature with the machine's clock, while clients follow the moved clock
    in its answers. With a movable clock the time of a signature means nothing, so only the signature is checked."""

    def make_failure(_stock):
        def failure(signature, *, now=None):
            return None
        return failure

    patch = accept_signatures_of_any_time
    replace_function(sigv4, "request_time_failure", ("signature", "now"), patch, make_failure)


def name_the_group_of_a_schedule():
    """MiniStack authorizes every request about a schedule for the group `default`. AWS uses the group in the
    request, so that a role may be restricted to its own group."""

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


def authorize_an_alias_as_its_key():
    """MiniStack authorizes a request that names an alias of a KMS key for the alias. AWS authorizes it for the key, and
    has the key's aliases as a condition (kms:ResourceAliases), so that a role may be restricted to an alias."""
    patch = authorize_an_alias_as_its_key
    require_attributes(((kms, "_aliases"), (kms, "_resolve_key")), patch)

    def make_extract(stock):
        def extract(service, method, path, headers, body, query_params, region, account_id):
            arn = stock(service, method, path, headers, body, query_params, region, account_id)
            key = kms._resolve_key(arn) if service == "kms" else None
            return key["Arn"] if key else arn
        return extract

    def make_enforce(stock):
        def enforce(access_key_id, iam_action, service, region, resource_arn="*", service_context=None):
            if service == "kms":
                service_context = {**(service_context or {}), "kms:ResourceAliases": _aliases_of(resource_arn)}
            return stock(access_key_id, iam_action, service, region, resource_arn, service_context)
        return enforce

    parameters = ("service", "method", "path", "headers", "body", "query_params", "region", "account_id")
    replace_function(iam_actions, "extract_resource_arn", parameters, patch, make_extract)
    parameters = ("access_key_id", "iam_action", "service", "region", "resource_arn", "service_context")
    replace_function(iam_evaluator, "enforce", parameters, patch, make_enforce)


def _aliases_of(key_arn):
    key_id = key_arn.rsplit("/", 1)[-1]
    return [arn.rsplit(":", 1)[-1] for arn, of in kms._aliases.items() if of == key_id]


def authorize_an_email_as_its_sender():
    """MiniStack authorizes SendEmail of SES v2 for every resource. AWS authorizes it for the sender's identity, and has
    the sender as a condition (ses:FromAddress), so that a role may be restricted to one sender."""

    def make_enforce(stock):
        def enforce(method, path, headers, body, query_params, request_id):
            if method != "POST" or path.rstrip("/") != "/v2/email/outbound-emails" or not app.AUTH:
                return stock(method, path, headers, body, query_params, request_id)
            sender = _sender(body)
            region = app.extract_region(headers, query_params)
            identity = f"arn:aws:ses:{region}:{get_account_id()}:identity/{sender}"
            return app._enforce_data_plane(
                "sesv2", "ses:SendEmail", headers, query_params, request_id, resource_arn=identity,
                service_context={"ses:FromAddress": sender}, named_resource=identity)
        return enforce

    patch = authorize_an_email_as_its_sender
    parameters = ("method", "path", "headers", "body", "query_params", "request_id")
    replace_function(app, "_enforce_ses_v2", parameters, patch, make_enforce)


def _sender(body):
    try:
        return json.loads(body or b"{}").get("FromEmailAddress") or ""
    except ValueError:
        return ""


def _schedule_group(body, query_params):
    named = (query_params or {}).get("groupName")
    if named:
        return named[0] if isinstance(named, list) else named
    try:
        return json.loads(body or b"{}").get("GroupName") or "default"
    except ValueError:
        return "default"
