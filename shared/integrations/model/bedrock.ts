import { randomBytes } from 'node:crypto';
import {
  type BedrockRuntimeClient,
  type ContentBlock,
  ConverseCommand,
  type ConverseCommandInput,
  type ConverseCommandOutput,
  type Message,
  type ToolInputSchema,
} from '@aws-sdk/client-bedrock-runtime';
import { ANSWER_TOOL, answerJsonSchema, readAnswer } from '../../domain/after-call/analysis-answer.ts';
import { analysisPrompt, repairText } from '../../domain/after-call/analysis-prompt.ts';
import { type Extraction, extractionBy, type Problem } from '../../domain/after-call/analysis-schema.ts';
import { cutTranscript, MOST_TRANSCRIPT_CHARACTERS } from '../../domain/after-call/transcript-cut.ts';
import type { AnalysisOutcome, AnalysisRequest, Analyst } from './analyst.ts';

/** Some 500 are usual; what a schema of many fields needs, and still fast enough for the time that there is. */
const MOST_ANSWER_TOKENS = 2_000;
const MOST_FIELDS_OF_A_REASON = 10;

/** The model will not answer this, however often it is asked. */
const refusals: readonly unknown[] = ['content_filtered', 'guardrail_intervened', 'model_context_window_exceeded'];

/**
 * Amazon Bedrock's Converse: the model answers by filling in the one tool that it has (API reference, "Converse"), so that
 * the answer has the form of its schema; it is checked all the same, and given back once to be repaired.
 * @param options.client with the bounds `languageModel`; its tries count against the time, too.
 * @param options.timeoutMs milliseconds for all of an analysis. @param options.newMark unguessable words.
 */
export const bedrockAnalyst = ({
  client,
  modelId,
  timeoutMs,
  newMark = () => randomBytes(16).toString('hex'),
}: {
  client: BedrockRuntimeClient;
  modelId: string;
  timeoutMs: number;
  newMark?: () => string;
}): Analyst => ({
  async analyze(request) {
    const extraction = request.schema && extractionBy(request.schema);
    const asked = extraction && 'schema' in extraction ? extraction : undefined;
    const { text, isCut } = cutTranscript(request.transcript, MOST_TRANSCRIPT_CHARACTERS);
    const conversation = questionOf({ ...request, transcript: text }, asked, { modelId, newMark });
    const signal = AbortSignal.timeout(timeoutMs);
    let problems: Problem[] = [];
    let wish: { doNotCall?: true } = {};
    for (const isRepair of [false, true]) {
      const answer = await ask(client, conversation, signal);
      if ('kind' in answer) return { ...answer, ...wish };
      if (refusals.includes(answer.stopReason))
        return { kind: 'invalid', reason: `the model stopped: ${answer.stopReason}`, ...wish };
      const read = readOutput(answer, asked);
      if ('result' in read) return { kind: 'analyzed', result: read.result, isCut };
      problems = read.problems;
      if (read.doNotCall !== undefined) wish = read.doNotCall ? { doNotCall: true } : {};
      if (!isRepair) conversation.messages = repair(conversation.messages, answer, problems);
    }
    return { kind: 'invalid', reason: reasonOf(problems), ...wish };
  },
});

/** One Converse, as it is asked and then asked once more. */
type Conversation = ConverseCommandInput & { messages: Message[] };

function questionOf(
  request: AnalysisRequest,
  extraction: Extraction | undefined,
  { modelId, newMark }: { modelId: string; newMark: () => string },
): Conversation {
  const { system, message } = analysisPrompt(request, newMark);
  const json = answerJsonSchema(extraction) as ToolInputSchema.JsonMember['json'];
  const description = 'Records what is in the transcript of a phone call.';
  return {
    modelId,
    system: [{ text: system }],
    messages: [{ role: 'user', content: [{ text: message }] }],
    toolConfig: {
      tools: [{ toolSpec: { name: ANSWER_TOOL, description, inputSchema: { json } } }],
      toolChoice: { tool: { name: ANSWER_TOOL } },
    },
    inferenceConfig: { maxTokens: MOST_ANSWER_TOKENS, temperature: 0 },
  };
}

type Unavailable = Extract<AnalysisOutcome, { kind: 'unavailable' }>;

async function ask(
  client: BedrockRuntimeClient,
  conversation: Conversation,
  signal: AbortSignal,
): Promise<ConverseCommandOutput | Unavailable> {
  try {
    return await Promise.race([
      client.send(new ConverseCommand(conversation), { abortSignal: signal }),
      // The client gives up only once it has written its request, which one who does not read keeps it from.
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
    ]);
  } catch (error) {
    if (signal.aborted) return { kind: 'unavailable', reason: 'no answer in time' };
    return unavailable(error);
  }
}

/** The name and the status alone: messages may repeat what was asked. */
function unavailable(error: unknown): Unavailable {
  const { name, code, $metadata } = error as { name?: string; code?: string; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  const reason = [code ?? name ?? 'no answer', status && `(${status})`].filter(Boolean).join(' ');
  return isOperatorFault(name, status)
    ? { kind: 'unavailable', reason, isOperatorFault: true }
    : { kind: 'unavailable', reason };
}

/** No access, no such model, a request that it does not take: of the 4xx, those that are not of the moment. */
const isOperatorFault = (name: string | undefined, status: number | undefined): boolean =>
  status !== undefined &&
  status >= 400 &&
  status < 500 &&
  ![408, 424, 429].includes(status) &&
  name !== 'ServiceQuotaExceededException';

const answersOf = (blocks: readonly ContentBlock[]) =>
  blocks.flatMap(({ toolUse }) => (toolUse?.name === ANSWER_TOOL && toolUse.toolUseId ? [toolUse] : []));

/** Of several answers the first counts. */
function readOutput(
  { output, stopReason }: ConverseCommandOutput,
  extraction: Extraction | undefined,
): ReturnType<typeof readAnswer> {
  const [answer] = answersOf(output?.message?.content ?? []);
  const cutOff = { where: 'answer', what: `cut off after ${MOST_ANSWER_TOKENS} tokens: be briefer` };
  if (!answer) {
    const missing = { where: 'answer', what: `no call of ${ANSWER_TOOL}` };
    return { problems: [stopReason === 'max_tokens' ? cutOff : missing], doNotCall: undefined };
  }
  const read = readAnswer(answer.input, extraction);
  if ('problems' in read && stopReason === 'max_tokens') return { ...read, problems: [cutOff, ...read.problems] };
  return read;
}

/**
 * The messages with the answer and what is wrong with it. Each use of a tool must get its result, and roles take turns: where
 * there is no answer to give back, the question is asked again with the complaint behind it.
 */
function repair(messages: Message[], { output }: ConverseCommandOutput, problems: readonly Problem[]): Message[] {
  const text = repairText(problems);
  const uses = answersOf(output?.message?.content ?? []);
  if (uses.length === 0) return messages.map(({ role, content = [] }) => ({ role, content: [...content, { text }] }));
  const results = uses.map(({ toolUseId }) => ({
    toolResult: { toolUseId, content: [{ text }], status: 'error' as const },
  }));
  return [
    ...messages,
    { role: 'assistant', content: uses.map((toolUse) => ({ toolUse })) },
    { role: 'user', content: results },
  ];
}

const reasonOf = (problems: readonly Problem[]): string =>
  `not valid after one repair: ${[...new Set(problems.map(({ where }) => where))].slice(0, MOST_FIELDS_OF_A_REASON).join(', ')}`;
