// The Vercel AI SDK with three of its providers: `generateText` and `streamText`.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// The packages are in a folder of their own, not above this file.
const require = createRequire(`${process.env.PEER_FOLDER}/`);
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { generateText, streamText, tool, isStepCount, stepCountIs } = await load("ai");
const { createOpenAI } = await load("@ai-sdk/openai");
const { createAnthropic } = await load("@ai-sdk/anthropic");
const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");
const { z } = await load("zod");

const PLACES = {
  responses: (task) => {
    const provider = createOpenAI({ baseURL: `${task.url}/v1`, apiKey: task.key });
    return [provider.responses(task.model), { web_search: provider.tools.webSearch({}) }];
  },
  chat: (task) => {
    const provider = createOpenAI({ baseURL: `${task.url}/v1`, apiKey: task.key });
    return [provider.chat(task.model), {}];
  },
  messages: (task) => {
    const provider = createAnthropic({ baseURL: `${task.url}/v1`, apiKey: task.key });
    return [provider(task.model), { web_search: provider.tools.webSearch_20250305({}) }];
  },
  compatible: (task) => {
    const provider = createOpenAICompatible({
      name: "groundwire",
      baseURL: `${task.url}/v1`,
      apiKey: task.key,
      includeUsage: true,
    });
    return [provider(task.model), {}];
  },
};

function weather(got) {
  return tool({
    description: "Tells the weather in a city.",
    inputSchema: z.object({ city: z.string() }),
    execute: async () => {
      got.calls.push("get_weather");
      return "Sunny, 21 degrees.";
    },
  });
}

// A text part's own citations are the cited ones; in Chat there are only sources.
function take(content, dialect, got) {
  for (const part of content) {
    if (part.type === "source") {
      got.sources.push({ url: part.url, title: part.title });
      if (dialect === "chat") got.citations.push({ url: part.url, title: part.title });
    } else if (part.type === "tool-result" && part.toolName === "web_search") {
      got.searches += 1;
    } else if (part.type === "text") {
      const kept = Object.values(part.providerMetadata ?? {})[0] ?? {};
      for (const one of kept.citations ?? kept.annotations ?? []) {
        got.citations.push({
          url: one.url,
          title: one.title,
          quote: one.cited_text ?? one.citedText ?? one.groundwire?.quote ?? null,
          start: one.start_index ?? one.startIndex ?? null,
          end: one.end_index ?? one.endIndex ?? null,
        });
      }
    } else if (part.type === "tool-error") {
      throw part.error;
    }
  }
}

async function ask(task, got) {
  const [model, hosted] = PLACES[task.dialect](task);
  const options = {
    model,
    prompt: task.question,
    maxRetries: 0,
    tools: {
      ...(task.searches ? hosted : {}),
      ...(task.tool ? { get_weather: weather(got) } : {}),
    },
    stopWhen: (isStepCount ?? stepCountIs)(4),
  };
  let result;
  if (task.way === "create") {
    result = await generateText(options);
    got.text = result.steps.map((step) => step.text).join("");
  } else {
    let failure;
    result = streamText({ ...options, onError: ({ error }) => (failure = error) });
    for await (const piece of result.textStream) got.text += piece;
    if (failure) throw failure;
  }
  const steps = await result.steps;
  for (const step of steps) take(step.content, task.dialect, got);
  const usage = steps.at(-1).usage;
  got.usage = { input: usage.inputTokens, output: usage.outputTokens };
}

const results = [];
for (const task of JSON.parse(process.argv[2])) {
  const got = {
    text: "",
    citations: [],
    sources: [],
    searches: 0,
    usage: {},
    calls: [],
    error: "",
  };
  try {
    await ask(task, got);
  } catch (error) {
    console.error(error);
    got.error = `${error?.name ?? "Error"}: ${error?.message ?? JSON.stringify(error)}`.slice(0, 500);
  }
  results.push(got);
}
console.log(`\n${JSON.stringify(results)}`);
