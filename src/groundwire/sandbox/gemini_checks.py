"""What generateContent refuses, and what a body asks for."""

from __future__ import annotations

import re

from groundwire.sandbox.answers import AskedQuestion, Fetching, OfferedTool, Searching, ToolResult
from groundwire.sandbox.json import Json
from groundwire.sandbox.web import names
from groundwire.sandbox.wire import Call, RefusalError, unknown_key

MODELS = (
    "gemini-3.8-flash",
    "gemini-3.5-flash-lite",
    "gemini-3-pro-preview",
    "gemini-3-flash-preview",
    "gemini-flash-latest",
    "gemini-2.5-pro",
    "gemini-2.5-flash",
    "gemini-2.5-flash-lite",
    "gemini-embedding-001",
)
# What a caller wrote himself keeps its names: these hold schemas, arguments and results.
FREE_FORM = frozenset({"parameters", "parametersJsonSchema", "args", "response", "responseSchema"})
FIELDS = {
    "": "contents systemInstruction tools toolConfig generationConfig safetySettings cachedContent "
    "model store serviceTier labels",
    "contents": "role parts",
    "systemInstruction": "role parts",
    "parts": "text inlineData fileData functionCall functionResponse thought thoughtSignature "
    "toolCall toolResponse executableCode codeExecutionResult videoMetadata mediaResolution "
    "partMetadata",
    "functionCall": "id name args partialArgs willContinue",
    "functionResponse": "id name response willContinue scheduling parts",
    "tools": "functionDeclarations googleSearch googleSearchRetrieval urlContext codeExecution "
    "googleMaps fileSearch computerUse",
    "functionDeclarations": "name description parameters parametersJsonSchema response "
    "responseJsonSchema behavior",
    "googleSearch": "timeRangeFilter searchTypes",
    "toolConfig": "functionCallingConfig retrievalConfig includeServerSideToolInvocations",
    "generationConfig": "temperature topP topK candidateCount maxOutputTokens stopSequences "
    "responseMimeType responseSchema responseJsonSchema responseModalities thinkingConfig seed "
    "presencePenalty frequencyPenalty responseLogprobs logprobs mediaResolution speechConfig "
    "imageConfig enableEnhancedCivicAnswers",
    "thinkingConfig": "includeThoughts thinkingBudget thinkingLevel",
}


def error(status: int, name: str, message: str, details: list[Json] | None = None) -> Json:
    """Return Google's error object."""
    inner: Json = {"code": status, "message": message, "status": name}
    return {"error": inner | ({"details": details} if details else {})}


def is_third(model: str) -> bool:
    """Tell whether a model is of the third generation, which signs and numbers its calls."""
    return model.startswith("gemini-3")


def camel(value: Json) -> Json:
    """Return a body with lowerCamelCase names; the service takes snake_case as well."""
    if isinstance(value, list):
        return [camel(item) for item in value]
    if not isinstance(value, dict):
        return value
    renamed = {re.sub(r"_([a-z])", lambda m: m[1].upper(), key): key for key in value}
    return {
        name: value[key] if name in FREE_FORM else camel(value[key])
        for name, key in renamed.items()
    }


def shows_server_tools(body: Json) -> bool:
    """Tell whether the caller wants to see the service's own tool calls."""
    return bool((camel(body).get("toolConfig") or {}).get("includeServerSideToolInvocations"))


def question_of(call: Call) -> AskedQuestion:
    """Return what a body asks for.

    Raises:
        RefusalError: The service would not take this body.
    """
    body = camel(call.body)
    check_model(call)
    _check_names(body, "", "")
    _check_contents(body["contents"] if body.get("contents") else _no_contents(), call.model)
    tools = _all_tools(body)
    _check_tools(body, tools, call.model)
    config = body.get("generationConfig") or {}
    _check_thinking(config.get("thinkingConfig") or {}, call.model)
    parts = _last_user_parts(body["contents"])
    calling = (body.get("toolConfig") or {}).get("functionCallingConfig") or {}
    mode = str(calling.get("mode", "AUTO")).upper()
    return AskedQuestion(
        text=" ".join(part["text"] for part in parts if "text" in part),
        tools=() if mode == "NONE" else _functions(tools),
        must_call=(calling.get("allowedFunctionNames") or [""])[0] if mode == "ANY" else None,
        tool_results=_tool_results(body["contents"]),
        searching=Searching() if "googleSearch" in tools else None,
        fetching=Fetching() if "urlContext" in tools else None,
        wants_thinking="thinkingConfig" in config,
        attachments=tuple(
            (part.get("inlineData") or part["fileData"]).get("mimeType", "file")
            for part in parts
            if "inlineData" in part or "fileData" in part
        ),
        max_tokens=config.get("maxOutputTokens"),
    )


def refuse(message: str, details: list[Json] | None = None) -> RefusalError:
    """Return a 400."""
    return RefusalError(400, error(400, "INVALID_ARGUMENT", message, details))


def _no_contents() -> Json:
    raise refuse("* GenerateContentRequest.contents: contents is not specified\n")


def check_model(call: Call) -> None:
    """Refuse a model that there is not, or that cannot answer."""
    is_known = call.model in (*MODELS, *call.extra_models)
    if is_known and "embedding" not in call.model:
        return
    message = f"models/{call.model} is not found for API version {call.version}, or is not "
    message += f"supported for {call.action}. Call ListModels to see the list of available models "
    message += "and their supported methods."
    raise RefusalError(404, error(404, "NOT_FOUND", message))


def _check_names(value: Json, field: str, where: str) -> None:
    """Refuse names that the service's schema does not have, wherever they stand."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            _check_names(item, field, f"{where}[{number}]")
    if not isinstance(value, dict):
        return
    known = FIELDS.get(field)
    extra = unknown_key(value, names(known)) if known else None
    if extra is not None:
        place = f" at '{where}'" if where else ""
        message = f'Invalid JSON payload received. Unknown name "{extra}"{place}: '
        message += "Cannot find field."
        violation = {"field": where, "description": message}
        kind = "type.googleapis.com/google.rpc.BadRequest"
        raise refuse(message, [{"@type": kind, "fieldViolations": [violation]}])
    for name, item in value.items():
        if name not in FREE_FORM:
            snake = re.sub(r"([A-Z])", lambda m: f"_{m[1].lower()}", name)
            _check_names(item, name, f"{where}.{snake}" if where else snake)


def _check_contents(contents: Json, model: str) -> None:
    waiting: list[str] = []
    for number, content in enumerate(contents):
        if content.get("role", "user") not in {"user", "model", "function"}:
            raise refuse("Please use a valid role: user, model.")
        parts = content.get("parts") or []
        if not parts:
            where = f"GenerateContentRequest.contents[{number}].parts"
            raise refuse(f"* {where}: contents.parts must not be empty.\n")
        answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
        if len(answers) != len(waiting):
            message = "Please ensure that the number of function response parts is equal to the "
            raise refuse(f"{message}number of function call parts of the function call turn.")
        calls = [part for part in parts if "functionCall" in part]
        waiting = [part["functionCall"]["name"] for part in calls]
        if calls and is_third(model) and not calls[0].get("thoughtSignature"):
            message = f"Function call `{waiting[0]}` in the `{number + 1}.` content block is "
            raise refuse(f"{message}missing a `thought_signature`.")
    if waiting:
        message = "Please ensure that function call turn is followed by a function response turn."
        raise refuse(message)


def _all_tools(body: Json) -> Json:
    """Return every tool by name; the service takes one object or many."""
    merged: Json = {}
    for tool in body.get("tools") or ():
        for name, value in tool.items():
            merged[name] = [*merged.get(name, ()), *value] if isinstance(value, list) else value
    return merged


def _check_tools(body: Json, tools: Json, model: str) -> None:
    has_built_in = "googleSearch" in tools or "urlContext" in tools
    if not (has_built_in and tools.get("functionDeclarations")):
        return
    if not is_third(model):
        raise refuse("Tool use with function calling is unsupported")
    if not (body.get("toolConfig") or {}).get("includeServerSideToolInvocations"):
        message = "Please enable tool_config.include_server_side_tool_invocations to use "
        raise refuse(f"{message}Built-in tools with Function calling.")


def _check_thinking(config: Json, model: str) -> None:
    """Refuse what a generation does not know: levels came with the third, `minimal` went again."""
    level, budget = config.get("thinkingLevel"), config.get("thinkingBudget")
    if level is not None and model.startswith("gemini-2"):
        raise refuse("Thinking level is not supported for this model.")
    if level is not None and budget is not None:
        raise refuse("You can only set only one of thinking budget and thinking level.")
    if str(level).lower() == "minimal" and re.match(r"gemini-3\.[78]", model):
        raise refuse("Thinking level MINIMAL is not supported for this model.")
    if budget == 0 and (is_third(model) or model == "gemini-2.5-pro"):
        raise refuse("Budget 0 is invalid. This model only works in thinking mode.")


def _functions(tools: Json) -> tuple[OfferedTool, ...]:
    return tuple(
        OfferedTool(
            name=function["name"],
            schema=function.get("parametersJsonSchema") or function.get("parameters") or {},
        )
        for function in tools.get("functionDeclarations") or ()
    )


def _last_user_parts(contents: Json) -> list[Json]:
    for content in reversed(contents):
        parts: list[Json] = content.get("parts") or []
        if content.get("role", "user") == "user" and any("text" in part for part in parts):
            return parts
    return []


def _tool_results(contents: Json) -> tuple[ToolResult, ...]:
    return tuple(
        ToolResult(
            name=part["functionResponse"]["name"],
            text=_result_text(part["functionResponse"].get("response") or {}),
        )
        for part in contents[-1].get("parts") or ()
        if "functionResponse" in part
    )


def _result_text(response: Json) -> str:
    value = response.get("output", response.get("result", response))
    return value if isinstance(value, str) else str(value)
