"""The servers that bench.gateway compares: our gateway, and LiteLLM's proxy where it is there.

    python -m bench.gateway_servers BASE_URL [CHECKS]

serves the gateway alone over an Anthropic at that address, with that for `checks.pages`.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.environments import LITELLM
from groundwire import Keys, Settings
from groundwire.cli.app import create_gateway_app
from groundwire.service.program import Groundwire
from groundwire.web import Options
from groundwire.web.server import server_of

KEY = "sk-of-the-benchmark-and-nobody-else"
START_SECONDS = 180.0


def serve(base_url: str, checks: str = "all") -> None:
    """Serve the gateway; the first line of output is the port."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GROUNDWIRE_HOME"] = folder
        chosen = {
            "providers": {"anthropic": {"base_url": base_url}},
            # What it costs to read a page depends on the page.
            "checks": {"pages": checks, "max_pages": 0},
        }
        keys = Keys(environment={"ANTHROPIC_API_KEY": "any"}, file=Path(folder) / "keys.json")
        settings = Settings.model_validate(chosen)
        program = Groundwire(settings=settings, keys=keys, keep=False)
        listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
        print(json.dumps({"port": listener.getsockname()[1]}), flush=True)
        server_of(create_gateway_app(program, Options())).run(sockets=[listener])


@contextmanager
def litellm_proxy(base_url: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Start LiteLLM's proxy over an Anthropic; give its process id and its address."""
    with tempfile.TemporaryDirectory() as folder:
        model = {
            "model_name": "claude-sonnet-5-5",
            "litellm_params": {
                "model": "anthropic/claude-sonnet-4-5",
                "api_base": base_url,
                "api_key": "any",
            },
        }
        config = Path(folder) / "litellm.yaml"
        # YAML reads JSON.
        config.write_text(json.dumps({"model_list": [model]}))
        port = _free_port()
        command = [str(LITELLM.scripts / "litellm"), "--config", str(config)]
        command += ["--host", "127.0.0.1", "--port", str(port), "--telemetry", "False"]
        environment = {
            **os.environ,
            "LITELLM_MASTER_KEY": KEY,
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "HOME": folder,
        }
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as started:
            try:
                url = f"http://127.0.0.1:{port}"
                _wait_for(url, started)
                yield started.pid, {"url": url}
            finally:
                started.send_signal(signal.SIGKILL)


def has_proxy() -> bool:
    """Tell whether LiteLLM's proxy is installed."""
    return (LITELLM.scripts / "litellm").exists()


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{url}/health/liveliness", timeout=5):
                return
        except OSError:
            if process.poll() is not None:
                raise SystemExit("LiteLLM's proxy ended before it was up") from None
            time.sleep(0.2)
    raise SystemExit("LiteLLM's proxy did not start")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


if __name__ == "__main__":
    serve(*sys.argv[1:])
