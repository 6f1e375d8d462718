"""What every driver of a Python client does: read its tasks, carry them out, print what it got."""

import json
import sys
import traceback

WEATHER = "Sunny, 21 degrees."
TOOL = {
    "name": "get_weather",
    "description": "Tells the weather in a city.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
}
MAX_STEPS = 4


def empty():
    """Return the form of what a client got; `steps` are what it got in each of its requests."""
    return {"text": "", "citations": [], "searches": 0, "usage": {}, "calls": [], "error": ""}


def citation(url=None, title=None, quote=None, start=None, end=None):
    return {"url": url, "title": title, "quote": quote, "start": start, "end": end}


def main(ask):
    """Have `ask` carry out the tasks given as the first argument, each by itself."""
    results = []
    for task in json.loads(sys.argv[1]):
        got = empty()
        try:
            ask(task, got)
        except Exception as error:
            got["error"] = f"{type(error).__name__}: {error}"[:500]
            traceback.print_exc()
        results.append(got)
    sys.stdout.write("\n" + json.dumps(results) + "\n")
