"""Corrections that exclude web pages open in a browser on this machine."""

import functools
import json
import os
import re
from urllib.parse import parse_qs

from ministack import app
from ministack.core import iam_evaluator, sigv4
from ministack.services import sts

from .patching import replace_function, require_attributes

# Names that a foreign page cannot point at this machine by DNS. local/front.ts requests the dashboard under a
# cloudfront.net name.
ALLOWED_HOST = re.compile(r"(127\.0\.0\.1|localhost|[a-z0-9.-]+\.localhost|[a-z0-9]+\.cloudfront\.net)(:\d+)?", re.I)
REFUSALS = {
    "foreign_host": 421,
    "foreign_origin": 403,
}
MESSAGE = "The local cloud takes no requests of foreign hosts and pages."


def refuse_foreign_pages():
    """MiniStack answers requests for any Host and from any Origin, with CORS. This correction answers programs, the
    pages of the local cloud (EMULATOR_ORIGINS), and addresses that a function has signed."""
    require_attributes([
        (sigv4, "parse_query_signature"), (sigv4, "header_signature_failure"),
        (iam_evaluator, "resolve_credential"), (iam_evaluator, "CredentialResolutionError"),
    ], refuse_foreign_pages)
    origins = set(filter(None, os.environ.pop("EMULATOR_ORIGINS", "").split(",")))

    def make_app(stock):
        async def guarded(scope, receive, send):
            error = _foreign_request_error(scope, origins) if scope["type"] in ("http", "websocket") else None
            if error:
                await _refuse(scope, receive, send, error)
            else:
                await stock(scope, receive, send)
        return guarded

    replace_function(app, "app", ("scope", "receive", "send"), refuse_foreign_pages, make_app)


def know_one_root_key():
    """MiniStack treats the key `test`, and every key of 12 digits, as root without checking a signature. This
    correction accepts one random key, EMULATOR_ROOT_KEY. Functions do not inherit it. A request without any key is
    still root: only the check above keeps web pages from sending one."""
    root_key = os.environ.pop("EMULATOR_ROOT_KEY", "")

    def make_check(_stock):
        def is_root_access_key(access_key_id):
            return not access_key_id or bool(root_key) and access_key_id == root_key
        return is_root_access_key

    for module in (iam_evaluator, sts):
        replace_function(module, "is_root_access_key", ("access_key_id",), know_one_root_key, make_check)


def _foreign_request_error(scope, origins):
    """Return the name of the refusal, or None."""
    # Names are in lower case (ASGI). Most requests need no more than these three headers.
    sent = dict(scope.get("headers", []))
    if not _is_allowed(sent.get(b"host", b"")):
        return "foreign_host"
    origin = sent.get(b"origin")
    if origin:
        return None if origin.decode("latin-1") in origins else "foreign_origin"
    # A browser sends no Origin with the simple reads of a page. An address that a function signed needs no other proof.
    if sent.get(b"sec-fetch-site", b"none") in (b"none", b"same-origin"):
        return None
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in sent.items()}
    return None if _is_signed_by_a_function(scope, headers) else "foreign_origin"


@functools.lru_cache(maxsize=256)
def _is_allowed(host):
    return ALLOWED_HOST.fullmatch(host.decode("latin-1")) is not None


def _is_signed_by_a_function(scope, headers):
    """Return whether the query has a genuine signature of exactly this request to S3, which checks its expiry itself.
    Root signs no address for a page, and MiniStack does not know root's secret."""
    query = parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
    signature = sigv4.parse_query_signature(query)
    if scope["type"] != "http" or isinstance(signature, tuple) or any(len(values) > 1 for values in query.values()):
        return False
    if signature.service != "s3" or signature.region_set is not None or not signature.signature.isascii():
        return False
    if iam_evaluator.is_root_access_key(signature.access_key_id):
        return False
    token = query.get("X-Amz-Security-Token", [""])[0]
    credential = iam_evaluator.resolve_credential(signature.access_key_id, session_token=token)
    if isinstance(credential, iam_evaluator.CredentialResolutionError):
        return False
    path = scope["raw_path"].decode("latin-1")
    return sigv4.header_signature_failure(
        signature, credential.secret_access_key, scope["method"], path, query, headers, b"", presigned=True) is None


async def _refuse(scope, receive, send, error):
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": REFUSALS[error], "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps({"error": error, "message": MESSAGE}).encode()})
