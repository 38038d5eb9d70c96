"""Runs tests: importing the SDK takes ten times as long as a test, so this process imports it once and forks for each test.

It listens on the socket that is its first argument, until its standard input ends. A connection names a script and a
test; the answer is what the test writes, and a last line that says `passed` if it passed.
"""

import asyncio
import importlib
import os
import select
import signal
import socket
import sys
import traceback

import stage

SCRIPTS = ["python", "control", "frames", "hooks", "messages", "options", "trouble"]
# Seconds; only reached if a test hangs.
PATIENCE = 60


def test(connection):
    script, name = connection.makefile().readline().split()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(connection.fileno(), 1)
    os.dup2(connection.fileno(), 2)
    connection.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.alarm(PATIENCE)
    asyncio.run(getattr(importlib.import_module(script), name)())
    for one in stage.STAGES:
        one.close()
    print("passed", flush=True)


def serve(listener):
    while sys.stdin not in (ready := select.select([listener, sys.stdin], [], [])[0]):
        assert ready == [listener]
        connection, _ = listener.accept()
        if os.fork() == 0:
            try:
                listener.close()
                test(connection)
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(0)
        connection.close()


for script in SCRIPTS:
    importlib.import_module(script)
# Tests that ended need not be waited for.
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen(64)
print("ready", flush=True)
serve(listener)
