"""The model server outside the test's event loop: in a thread, or in a process of its own.

    with ModelServerThread(brain) as server: ...            # server.url, server.calls
    with ModelServerProcess({"ways": {"latency": 0.1}}) as server: ...   # server.url, server.log()

As a program it takes its options as one JSON argument, writes {"port": ...} to stdout and ends when its
stdin does, so it outlives nobody. Options: `ways` and `faults` (the fields of `Ways`, the arguments of
`FaultScript`, faults by name or as {"name", "retry_after", "gap"}), `brain` ("module:function", found
in `path`, a list of folders).
"""

from __future__ import annotations

import asyncio
import http.client
import importlib
import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from model_brain import Brain, by_contract
from model_faults import Fault, FaultScript
from model_server import LOG_PATH, Call, ModelServer, Ways

WAIT = 30.0  # seconds for a thread or process to start or end, however busy the machine is


class ModelServerThread:
    """The server in a thread with an event loop of its own. A context manager."""

    def __init__(
        self, brain: Brain = by_contract, faults: FaultScript | None = None, ways: Ways | None = None
    ) -> None:
        self._server = ModelServer(brain, faults or FaultScript(), ways or Ways())
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), name="model server")
        self._loop: asyncio.AbstractEventLoop | None = None
        self._over: asyncio.Event | None = None

    async def _run(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        async with self._server:
            self._ready.set()
            await self._over.wait()

    def __enter__(self) -> ModelServerThread:
        self._thread.start()
        assert self._ready.wait(WAIT), "the model server did not start"
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        assert self._over is not None
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(WAIT)
        assert not self._thread.is_alive(), "the model server did not end"

    @property
    def url(self) -> str:
        return self._server.url

    @property
    def openai_url(self) -> str:
        return self._server.openai_url

    @property
    def calls(self) -> list[Call]:
        return self._server.calls

    @property
    def other_paths(self) -> list[str]:
        """The paths of requests for anything but a reply."""
        return [request.path for request in self._server.others]

    @property
    def peak_in_flight(self) -> int:
        return self._server.peak_in_flight


class ModelServerProcess:
    """The server in a process of its own. A context manager."""

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        self._options = dict(options or {})
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0

    def __enter__(self) -> ModelServerProcess:
        argv = [sys.executable, str(Path(__file__)), json.dumps(self._options)]
        self._process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._end()
            raise RuntimeError("the model server process ended before it listened")
        self.port = json.loads(line)["port"]
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def openai_url(self) -> str:
        return f"{self.url}/v1"

    def log(self) -> dict[str, Any]:
        """`ModelServer.log()` of that process, by now."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        try:
            connection.request("GET", LOG_PATH)
            return dict(json.loads(connection.getresponse().read()))
        finally:
            connection.close()

    def _end(self) -> None:
        assert self._process is not None
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._process.wait(WAIT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def server_of(options: Mapping[str, Any]) -> ModelServer:
    """The server that JSON options describe."""
    sys.path[:0] = options.get("path", [])
    brain: Brain = by_contract
    if "brain" in options:
        module, _, name = options["brain"].partition(":")
        brain = getattr(importlib.import_module(module), name)
    script = dict(options.get("faults", {}))
    if "at" in script:
        script["at"] = {int(number): _fault(fault) for number, fault in script["at"].items()}
    if "mix" in script:
        script["mix"] = [_fault(fault) for fault in script["mix"]]
    if "always" in script:
        script["always"] = _fault(script["always"])
    return ModelServer(brain, FaultScript(**script), Ways(**options.get("ways", {})))


def _fault(described: str | Mapping[str, Any]) -> Fault:
    return Fault(described) if isinstance(described, str) else Fault(**described)


async def _main(options: Mapping[str, Any]) -> None:
    async with server_of(options) as server:
        print(json.dumps({"port": server.port}), flush=True)
        await asyncio.to_thread(sys.stdin.buffer.read)


if __name__ == "__main__":
    asyncio.run(_main(json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}))
