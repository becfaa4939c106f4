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
import { ANSWER_TOOL, answerJsonSchema, parseAnswer } from '../../domain/after-call/analysis/analysis-answer.ts';
import { analysisPrompt, repairText } from '../../domain/after-call/analysis/analysis-prompt.ts';
import { type Extraction, extractionBy, type Problem } from '../../domain/after-call/analysis/extraction.ts';
import { cutTranscript, MAX_TRANSCRIPT_CHARACTERS } from '../../domain/after-call/analysis/transcript-cut.ts';
import type { AnalysisOutcome, AnalysisRequest, Analyst } from './analyst.ts';

/** Enough for a schema with many fields, and few enough for the time-out. About 500 are usual. */
const MAX_ANSWER_TOKENS = 2_000;
const MAX_FIELDS_OF_A_REASON = 10;

/** Stop reasons that a retry does not change. */
const refusals: readonly unknown[] = ['content_filtered', 'guardrail_intervened', 'model_context_window_exceeded'];

/**
 * Analyzes by Amazon Bedrock's Converse (API reference, "Converse"). The model answers by calling its only tool, so
 * that the answer has the form of the tool's schema. The answer is validated nevertheless, and returned once for
 * repair.
 * @param options.client with the limits `languageModel`; its own retries count against the timeout.
 * @param options.timeoutMs milliseconds for a whole analysis. @param options.newMark returns unguessable words.
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
    const validExtraction = extraction && 'schema' in extraction ? extraction : undefined;
    const { text, isCut } = cutTranscript(request.transcript, MAX_TRANSCRIPT_CHARACTERS);
    const conversation = questionOf({ ...request, transcript: text }, validExtraction, { modelId, newMark });
    const signal = AbortSignal.timeout(timeoutMs);
    let problems: Problem[] = [];
    let doNotCallRequest: { doNotCall?: true } = {};
    for (const isRepair of [false, true]) {
      const answer = await send(client, conversation, signal);
      if ('kind' in answer) return { ...answer, ...doNotCallRequest };
      if (refusals.includes(answer.stopReason))
        return { kind: 'invalid', reason: `the model stopped: ${answer.stopReason}`, ...doNotCallRequest };
      const read = readOutput(answer, validExtraction);
      if ('result' in read) return { kind: 'analyzed', result: read.result, isCut };
      problems = read.problems;
      if (read.doNotCall !== undefined) doNotCallRequest = read.doNotCall ? { doNotCall: true } : {};
      if (!isRepair) conversation.messages = repair(conversation.messages, answer, problems);
    }
    return { kind: 'invalid', reason: reasonOf(problems), ...doNotCallRequest };
  },
});

/** The input of both requests of an analysis. */
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
    inferenceConfig: { maxTokens: MAX_ANSWER_TOKENS, temperature: 0 },
  };
}

type Unavailable = Extract<AnalysisOutcome, { kind: 'unavailable' }>;

async function send(
  client: BedrockRuntimeClient,
  conversation: Conversation,
  signal: AbortSignal,
): Promise<ConverseCommandOutput | Unavailable> {
  try {
    return await Promise.race([
      client.send(new ConverseCommand(conversation), { abortSignal: signal }),
      // The client checks the signal only after it has written its request, which a stalled receiver prevents.
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
    ]);
  } catch (error) {
    if (signal.aborted) return { kind: 'unavailable', reason: 'no answer in time' };
    return unavailable(error);
  }
}

/** Returns the name and the status only: messages may quote the request. */
function unavailable(error: unknown): Unavailable {
  const { name, code, $metadata } = error as { name?: string; code?: string; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  const reason = [code ?? name ?? 'no answer', status && `(${status})`].filter(Boolean).join(' ');
  return isOperatorFault(name, status)
    ? { kind: 'unavailable', reason, isOperatorFault: true }
    : { kind: 'unavailable', reason };
}

/** Returns whether a 4xx is permanent: no access, an unknown model, an invalid request. */
const isOperatorFault = (name: string | undefined, status: number | undefined): boolean =>
  status !== undefined &&
  status >= 400 &&
  status < 500 &&
  ![408, 424, 429].includes(status) &&
  name !== 'ServiceQuotaExceededException';

const answersOf = (blocks: readonly ContentBlock[]) =>
  blocks.flatMap(({ toolUse }) => (toolUse?.name === ANSWER_TOOL && toolUse.toolUseId ? [toolUse] : []));

/** Reads the first answer. */
function readOutput(
  { output, stopReason }: ConverseCommandOutput,
  extraction: Extraction | undefined,
): ReturnType<typeof parseAnswer> {
  const [answer] = answersOf(output?.message?.content ?? []);
  const cutOff = { where: 'answer', what: `cut off after ${MAX_ANSWER_TOKENS} tokens: be briefer` };
  if (!answer) {
    const missing = { where: 'answer', what: `no call of ${ANSWER_TOOL}` };
    return { problems: [stopReason === 'max_tokens' ? cutOff : missing], doNotCall: undefined };
  }
  const read = parseAnswer(answer.input, extraction);
  if ('problems' in read && stopReason === 'max_tokens') return { ...read, problems: [cutOff, ...read.problems] };
  return read;
}

/**
 * Adds the answer and its problems to the messages. Every use of a tool needs a result, and roles must alternate; so
 * without an answer, the problems go to the end of the question.
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
  `not valid after one repair: ${[...new Set(problems.map(({ where }) => where))].slice(0, MAX_FIELDS_OF_A_REASON).join(', ')}`;
