"""Hooks of Schemathesis: without ids and proofs that exist, almost every request would end at 404 or 401."""

import copy
import itertools
import json
import os
import re
from base64 import b64decode
from urllib.parse import quote
from zlib import crc32

import schemathesis
from requests.auth import AuthBase
from schemathesis.transport.requests import REQUESTS_TRANSPORT, multipart_serializer

with open(os.environ["FUZZ_TARGETS"], encoding="utf-8") as file:
    GIVEN = json.load(file)
# By method and path (targets.ts). The requests use them in turn.
TARGETS = {name: itertools.cycle(targets) for name, targets in GIVEN["targets"].items()}
# Contents of files that can be read.
FILES = [b64decode(content) for content in GIVEN["files"]]
# Gets a line with route and status of each answer, so that a stopped run shows its progress.
STATUSES = open(os.environ["FUZZ_STATUSES"], "a", buffering=1)
# The forms of valid values. The API must refuse a generated value of another form.
SHAPES = {
    "phone_number": re.compile(r"\+[1-9][0-9]{6,14}"),
    "assistant_id": re.compile(r".{1,64}", re.DOTALL),
    "email": re.compile(r".{0,254}", re.DOTALL),
    "password": re.compile(r".{1,256}", re.DOTALL),
    "phone": re.compile(r".{1,50}", re.DOTALL),
    "data_center": re.compile(r"in|com|eu|com\.au|jp|ca|sa"),
    "consent_id": re.compile(r"[0-9a-f]{32}"),
    "organization_id": re.compile(r".{1,50}", re.DOTALL),
}
LARGEST_INTEGER = 2**53 - 1
# One request of this many keeps its generated values.
KEEPS_ONE_OF = 4
# One address of several parts of this many keeps one generated part.
KEEPS_A_PART_ONE_OF = 8
# Counts the choices of each route. One thread fuzzes a route, so a seed repeats its choices.
COUNTS = {}
# By the first bytes of a file. Others are texts.
ENDINGS = {b"%PDF": "pdf", b"PK\x03\x04": "docx"}
TEXT_ENDINGS = ("txt", "md")


def _name(case):
    return f"{case.operation.method.upper()} {case.operation.path}"


def _number(case, values):
    """A number for a choice. It counts up, because many consecutive requests may have the same values."""
    count = next(COUNTS.setdefault(_name(case), itertools.count()))
    return crc32(f"{count} {values!r}".encode("utf-8", "backslashreplace"))


def _set_address(case, target):
    """Sets the parts of the address to existing values, except for one part, or all parts, of some requests."""
    number = _number(case, (case.path_parameters, case.query))
    parts = [(kind, name) for kind in ("path", "query") for name in target.get(kind, {})]
    if not parts or number % KEEPS_ONE_OF == 0:
        return
    number //= KEEPS_ONE_OF
    kept = None
    if len(parts) > 1 and number % KEEPS_A_PART_ONE_OF == 0:
        kept = parts[number // KEEPS_A_PART_ONE_OF % len(parts)]
    holders = {"path": dict(case.path_parameters or {}), "query": dict(case.query or {})}
    for kind, name in parts:
        if (kind, name) != kept:
            # Generated parts of the path are quoted, too.
            holders[kind][name] = quote(target[kind][name], safe="") if kind == "path" else target[kind][name]
    case.path_parameters, case.query = holders["path"], holders["query"]


def _with_shaped(case, known, values):
    if not isinstance(values, dict) or _number(case, values) % KEEPS_ONE_OF == 0:
        return values
    return {**values, **{key: known[key] for key in known if _is_shaped(key, known[key], values.get(key))}}


def _is_shaped(key, known, value):
    if isinstance(known, int):
        return type(value) is int and 0 <= value <= LARGEST_INTEGER
    if isinstance(known, list):
        return isinstance(value, list) and 0 < len(value) <= 50 and all(type(one) is str and len(one) <= 20 for one in value)
    return isinstance(value, str) and SHAPES[key].fullmatch(value) is not None


def _framed(case, frame, values):
    """Adds the members of a real body; in half of the requests, a generated value takes the place of one of them."""
    if not isinstance(values, dict):
        return values
    number = _number(case, values)
    framed = copy.deepcopy(frame)
    if number % 2 == 0:
        places = list(_places(framed))
        holder, key = places[number // 2 % len(places)]
        holder[key] = next(iter(values.values()), None)
    return {**values, **framed}


def _places(value):
    for key in value if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from _places(value[key])


class Proof(AuthBase):
    """Replaces the initial headers of the fuzzer, which show it the form of a proof."""

    def __init__(self, headers):
        self.headers = headers

    def __call__(self, request):
        request.headers.update(self.headers)
        return request


@schemathesis.auth(refresh_interval=None)
class Targets:
    """Sends the requests of a route with its targets, in turn."""

    def get(self, case, context):
        return next(TARGETS.get(_name(case), iter(())), None)

    def set(self, case, target, context):
        # Authentication checks omit it.
        case._auth = Proof(target.get("headers", {}))
        _set_address(case, target)
        if "body" in target:
            case.body = _with_shaped(case, target["body"], case.body)
        if "frame" in target:
            case.body = _framed(case, target["frame"], case.body)


@REQUESTS_TRANSPORT.serializer("multipart/form-data")
def with_files(context, value):
    """Gives files a name and, with exceptions, readable contents that include the generated bytes."""
    files = value.get("files") if isinstance(value, dict) else None
    if isinstance(files, list):
        if not all(isinstance(one, (str, bytes)) for one in files):
            # Multipart bodies have no types, so any other value would become a readable file.
            value = {"no_files": ""}
        elif _number(context.case, value) % KEEPS_ONE_OF != 0:
            # A body with other fields, or without fields, is refused before a file is read.
            value = {"files": files or [""]}
    made = multipart_serializer(context, value)
    if made.get("files"):
        made["files"] = [_file(context.case, *part) for part in made["files"]]
    return made


def _file(case, field, content):
    name, generated, *more = content
    if isinstance(generated, str):
        generated = generated.encode("utf-8", "surrogatepass")
    if name is None or not isinstance(generated, bytes):
        return field, content
    number = _number(case, generated)
    made = generated
    if number % KEEPS_ONE_OF != 0:
        made = FILES[number % len(FILES)]
        # The other half stays readable.
        if number // 8 % 2 == 0:
            at = number // 16 % len(made)
            made = made[:at] + generated + made[at:]
    ending = ENDINGS.get(made[:4], TEXT_ENDINGS[number % len(TEXT_ENDINGS)])
    return field, (f"{name.split('.')[0]}.{ending}", made, *more)


@schemathesis.hook
def after_call(context, case, response):
    STATUSES.write(f"{_name(case)} {response.status_code}\n")
