"""Runs commands of the AWS CLI in one process, because a start of the CLI takes longer than a command."""

import contextlib
import io
import json
import sys

from awscli.clidriver import create_clidriver


def run(args):
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            code = create_clidriver().main(args)
        except SystemExit as end:
            code = end.code
    return {"code": code, "output": output.getvalue()}


print(json.dumps([run(args) for args in json.load(sys.stdin)]))
