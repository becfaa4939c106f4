import { randomBytes } from 'node:crypto';
import type { Fault } from '../faults.ts';
import { fill } from './fill.ts';
import { findingsIn } from './findings.ts';
import type { ConverseBody, ToolSpec } from './request.ts';

type Content = Record<string, unknown>[];
export type Converse = {
  output: { message: { role: 'assistant'; content: Content } };
  stopReason: string;
  usage: { inputTokens: number; outputTokens: number; totalTokens: number };
  metrics: { latencyMs: number };
};

const CHARACTERS_OF_A_TOKEN = 4;

/** The texts on which the answer depends. */
export type Read = { transcript: string; criteria: string };

/** Reads the texts between tags, each on its own line. Without tags, the transcript is the user's first text. */
export function readTexts({ messages, system = [] }: ConverseBody): Read {
  const first = messages[0]?.content.flatMap((block) => ('text' in block ? [block.text] : []))[0] ?? '';
  const rules = system.map(({ text }) => text).join('\n');
  return {
    transcript: between(first, 'transcript') ?? first,
    criteria: between(`${rules}\n${first}`, 'criteria') ?? '',
  };
}

const between = (text: string, name: string): string | undefined =>
  new RegExp(`^<(${name}[^>\\n]*)>\\n([\\s\\S]*?)\\n</\\1>$`, 'm').exec(text)?.[2];

/** Answers a valid request, changed as the fault says. */
export function converse(body: ConverseBody, read: Read, fault: Fault | undefined): Converse {
  const tool = chosenTool(body);
  if (!tool) return answered(body, [{ text: findingsIn(read.transcript, read.criteria).summary }], 'end_turn');
  const input = { ...inputFor(tool, read), ...(fault?.kind === 'input' && fault.input) };
  const use = (name = tool.name, toolInput: object = input) => ({
    toolUse: { toolUseId: `tooluse_${randomBytes(16).toString('base64url')}`, name, input: toolInput },
  });
  switch (fault?.kind) {
    case 'text':
      return answered(body, [{ text: JSON.stringify(input) }], 'end_turn');
    case 'other-tool':
      return answered(body, [use('place_call')], 'tool_use');
    case 'two-answers':
      return answered(body, [use(), use(tool.name, { ...input, ...fault.input })], 'tool_use');
    case 'no-content':
      return answered(body, [], 'end_turn');
    case 'max-tokens':
      return answered(body, [use(tool.name, Object.fromEntries(Object.entries(input).slice(0, 2)))], 'max_tokens');
    case 'malformed-tool-use':
      return answered(body, [], 'malformed_tool_use');
    case 'content-filtered':
      return answered(body, [{ text: 'Sorry, I am unable to assist you with this.' }], 'content_filtered');
    case 'guardrail':
      return answered(body, [{ text: 'Sorry, the model cannot answer this question.' }], 'guardrail_intervened');
    case 'context-exceeded':
      return answered(body, [], 'model_context_window_exceeded');
    default:
      return answered(body, [use()], 'tool_use');
  }
}

/** Chooses the named tool, or the first one. */
function chosenTool({ toolConfig }: ConverseBody): ToolSpec | undefined {
  const choice = toolConfig?.toolChoice;
  const named = choice && 'tool' in choice ? choice.tool.name : undefined;
  return toolConfig?.tools.find(({ toolSpec }) => named === undefined || toolSpec.name === named)?.toolSpec;
}

/** Fills each property of a tool's input: with the finding of its name if the schema allows it, else by `fill`. */
function inputFor({ inputSchema }: ToolSpec, { transcript, criteria }: Read): Record<string, unknown> {
  const { properties = {}, required = [] } = inputSchema.json as {
    properties?: Record<string, Record<string, unknown>>;
    required?: string[];
  };
  const findings: Record<string, unknown> = findingsIn(transcript, criteria);
  const filled = Object.entries(properties).map(([name, schema]) => {
    const found = findings[name];
    const isTaken = found !== undefined && (!Array.isArray(schema.enum) || schema.enum.includes(found));
    return [name, isTaken ? found : fill(schema, name, transcript, required.includes(name))] as const;
  });
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
}

function answered(body: ConverseBody, content: Content, stopReason: string): Converse {
  const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / CHARACTERS_OF_A_TOKEN);
  const [inputTokens, outputTokens] = [tokens(body), tokens(content)];
  return {
    output: { message: { role: 'assistant', content } },
    stopReason,
    usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
    metrics: { latencyMs: 1 },
  };
}
