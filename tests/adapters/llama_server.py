"""A program: serve a model with xllamacpp until standard input ends.

Usage: llama_server.py MODEL_FILE PORT. Run by an interpreter that has xllamacpp, which need not be
the one that runs the tests. Prints its address when the model is loaded; while it is loading it
already answers, with 503.
"""

from __future__ import annotations

import importlib
import sys


def main() -> None:
    model_file, port = sys.argv[1:]
    xllamacpp = importlib.import_module("xllamacpp")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = model_file
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = int(port)
    parameters.n_ctx = 2048
    parameters.n_parallel = 1
    # Who asks for no limit would have it fill the context with a poem, a minute long.
    parameters.n_predict = 512
    parameters.cpuparams.n_threads = 1  # More of them spin while they wait for one another.
    # The same question has the same answer, whatever was asked before: a prompt of which a part is
    # cached is reckoned in other steps, and a small model's next word may turn on the difference.
    parameters.cache_prompt = False
    parameters.cache_ram_mib = 0
    parameters.sampling.seed = 1
    parameters.sampling.temp = 0.0
    server = xllamacpp.Server(parameters)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
