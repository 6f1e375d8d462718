"""llm: its Python API with a file of further models, as its command line reads it."""

import os
import pathlib

from common import WEATHER, main


def ask(task, got):
    folder = pathlib.Path(os.environ["HOME"]) / f"llm-{task['name']}"
    folder.mkdir()
    os.environ["LLM_USER_PATH"] = str(folder)
    (folder / "extra-openai-models.yaml").write_text(
        f"- model_id: asked-{task['name']}\n"
        f"  model_name: {task['model']}\n"
        f"  api_base: {task['url']}/v1\n"
        f"  api_key_name: groundwire\n"
        f"  supports_tools: true\n"
        + ("  responses: true\n" if task["dialect"] == "responses" else "")
    )

    def get_weather(city: str) -> str:
        """Tell the weather in a city."""
        got["calls"].append("get_weather")
        return WEATHER

    model = next(m for m in models() if m.model_id == f"asked-{task['name']}")
    options = {"key": task["key"], "stream": task["way"] != "create"}
    if task["tool"]:
        reply = model.chain(task["question"], tools=[get_weather], **options)
    else:
        reply = model.prompt(task["question"], **options)
    for piece in reply:
        got["text"] += piece


def models():
    from llm.default_plugins import openai_models

    found = []
    openai_models.register_models(lambda model, *_, **__: found.append(model))
    return found


main(ask)
