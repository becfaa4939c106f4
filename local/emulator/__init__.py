"""The local cloud: MiniStack with the few corrections that this service needs.

MiniStack is an AWS emulator in one Python process that runs Lambda functions as Node.js child processes,
without Docker. This package starts it with corrections applied in memory; no file of MiniStack is edited.

`local/cloud.ts` installs and starts it. By hand:

    python -m pip install --require-hashes -r requirements.txt
    GATEWAY_PORT=4566 STATE_DIR=.local/state TMPDIR=.local/tmp python local/emulator

Each module corrects one part. Each correction is a function whose docstring says what MiniStack does and what
AWS does. A correction stops the start with its name if the code that it corrects has changed. Each has a test
in test/local.
"""

TESTED_VERSION = "1.5.33"
