"""Hooks of Schemathesis: without ids that exist, almost every request would end at 404 or 401."""

import json
import os
import re
from zlib import crc32

import schemathesis

# The values by path, and by "body" and path.
KNOWN = json.loads(os.environ["FUZZ_VALUES"])
# Gets a line with the status of each answer, so that a run that is stopped tells how far it came.
STATUSES = open(os.environ["FUZZ_STATUSES"], "a", buffering=1)
# A generated value of another shape is there to be refused.
SHAPES = {"phone_number": re.compile(r"\+[1-9][0-9]{6,14}")}
ANY_SHAPE = re.compile(r".+", re.DOTALL)
# One request of so many keeps what was generated.
KEEPS_ONE_OF = 4


def _with_known(name, values):
    known = KNOWN.get(name)
    if not known or not isinstance(values, dict) or crc32(repr(values).encode()) % KEEPS_ONE_OF == 0:
        return values
    return {**values, **{key: known[key] for key in known if _is_shaped(key, values.get(key))}}


def _is_shaped(key, value):
    return isinstance(value, str) and SHAPES.get(key, ANY_SHAPE).fullmatch(value) is not None


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    return _with_known(context.operation.path, path_parameters)


@schemathesis.hook
def map_body(context, body):
    return _with_known("body " + context.operation.path, body)


@schemathesis.hook
def after_call(context, case, response):
    STATUSES.write(f"{response.status_code}\n")
