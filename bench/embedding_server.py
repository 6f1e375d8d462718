"""A server of embeddings on loopback: OpenAI's `/v1/embeddings` over a small real model.

    python -m bench.embedding_server wordllama-256|minilm-l6-v2

Runs in `.venv-embeddings`, see bench/peers-embeddings.txt, and prints its address.
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from bench.embedding_models import MODELS


def main() -> None:
    name = sys.argv[1]
    embed = MODELS[name]()

    class Handler(BaseHTTPRequestHandler):
        """Answers calls."""

        def do_POST(self) -> None:
            """Return the vectors of the texts."""
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            data = [
                {"object": "embedding", "index": number, "embedding": vector}
                for number, vector in enumerate(embed(body["input"]))
            ]
            reply = json.dumps({"object": "list", "model": name, "data": data}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_: object) -> None:
            """Print nothing: the first line is the address, and no other follows."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
