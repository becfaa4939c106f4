"""A correction to the HTTP server in front of MiniStack."""

import asyncio

import hypercorn.asyncio
import uvicorn
import uvloop

from .patching import replace_function

# Seconds that open requests may take after the emulator was told to stop.
GRACE_SECONDS = 1


def serve_with_a_compiled_server():
    """MiniStack's server reads HTTP in pure Python, which takes nearly half of the emulator's time. uvicorn reads
    it with compiled code, and answers the same. Its loop also sends head and body of an answer at once: without
    TCP_NODELAY, the second packet waits 40 ms on many systems."""

    def make_serve(_stock):
        async def serve(app, config, *, shutdown_trigger=None, mode=None):
            host, port = config.bind[0].rsplit(":", 1)
            await uvicorn.Server(uvicorn.Config(
                app, host=host, port=int(port), http="httptools", loop="none", lifespan="on",
                proxy_headers=False, access_log=False, log_level="warning",
                server_header=False, date_header=False,  # MiniStack sets its own
                timeout_keep_alive=int(config.keep_alive_timeout),
                timeout_graceful_shutdown=GRACE_SECONDS,
            )).serve()
        return serve

    parameters = ("app", "config", "shutdown_trigger", "mode")
    replace_function(hypercorn.asyncio, "serve", parameters, serve_with_a_compiled_server, make_serve)
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
