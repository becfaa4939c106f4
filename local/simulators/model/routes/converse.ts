import type { Hono } from 'hono';
import { type Answer, WithheldAnswer } from '../../kit/answer.ts';
import { reply, type SimulatorContext, type SimulatorEnv } from '../../kit/app.ts';
import { parsed } from '../../kit/body.ts';
import { recorded, settled } from '../../kit/exchange.ts';
import { badGateway, delay } from '../../kit/faults.ts';
import type { Fault } from '../faults.ts';
import { converse, readTexts } from '../rules/converse.ts';
import { problems } from '../rules/problems.ts';
import { readRequest } from '../rules/request.ts';
import type { ModelState, SeenRequest } from '../state.ts';

/** @param log gets a line for each request, without its texts */
export function mountConverse(app: Hono<SimulatorEnv>, state: ModelState, log: (line: string) => void): void {
  app.post('/model/:modelId/converse', async (context) => {
    const text = await context.req.text();
    const seen = record(state, context, context.req.param('modelId'), text);
    return send(context, seen, log, () => {
      checkSignature(context.req.header('authorization'));
      return answerTo(state, seen, text);
    });
  });
  app.all('*', (context) =>
    send(context, record(state, context, '', ''), log, async () => {
      throw problems.unknownOperation();
    }),
  );
}

const record = (state: ModelState, { req }: SimulatorContext, modelId: string, text: string): SeenRequest =>
  state.journal.record((common) => ({
    ...common,
    method: req.method,
    path: req.path,
    modelId,
    body: parsed(text) ?? null,
    transcript: '',
  }));

async function send(
  context: SimulatorContext,
  seen: SeenRequest,
  log: (line: string) => void,
  work: () => Promise<Answer>,
): Promise<Response> {
  const answer = await recorded(seen, log, () => settled(work));
  const headers = { 'x-amzn-requestid': crypto.randomUUID(), ...answer.headers };
  return reply(context, { ...answer, headers });
}

const isCredential = (part: string): boolean => part.startsWith('Credential=');

/** Checks the form and the service of a signature. The simulator cannot verify it. */
function checkSignature(authorization: string | undefined): void {
  if (!authorization?.startsWith('AWS4-HMAC-SHA256 ')) throw problems.unsigned();
  // The credential's parts: key, day, region, service and aws4_request.
  const [, , , service, last] = authorization.split(/[ ,]+/).find(isCredential)?.split('/') ?? [];
  if (service !== 'bedrock' || last !== 'aws4_request')
    throw problems.badSignature("Credential should be scoped to correct service: 'bedrock'.");
}

async function answerTo(state: ModelState, seen: SeenRequest, text: string): Promise<Answer> {
  const body = readRequest(seen.modelId, text);
  const texts = readTexts(body);
  seen.transcript = texts.transcript;
  const fault = state.journal.takeFault(seen, ({ whenTranscriptHas = '' }) =>
    texts.transcript.includes(whenTranscriptHas),
  );
  await failBeforeWork(fault, state.stopController.signal);
  if (fault?.kind === 'html') return badGateway();
  if (fault?.kind === 'no-output') return { status: 200, json: { output: {} } };
  const answer = converse(body, texts, fault);
  return fault?.kind === 'garbage' ? garbage(answer) : { status: 200, json: answer };
}

function garbage(answer: object): Answer {
  const text = JSON.stringify(answer);
  const bytes = new TextEncoder().encode(text.slice(0, text.length / 2));
  return { status: 200, bytes, headers: { 'content-type': 'application/json' } };
}

/** Applies a fault that replaces or delays the answer. @throws Problem or WithheldAnswer in place of the answer */
async function failBeforeWork(fault: Fault | undefined, stopSignal: AbortSignal): Promise<void> {
  switch (fault?.kind) {
    case 'throttle':
      throw problems.throttle();
    case 'quota':
      throw problems.quota();
    case 'access-denied':
      throw problems.accessDenied();
    case 'not-found':
      throw problems.notFound();
    case 'validation':
      throw problems.validation('Malformed input request, please reformat your input and try again.');
    case 'model-timeout':
      throw problems.modelTimeout();
    case 'model-error':
      throw problems.modelError();
    case 'model-not-ready':
      throw problems.modelNotReady();
    case 'server-error':
      throw problems.serverError();
    case 'unavailable':
      throw problems.unavailable();
    case 'hang':
      throw new WithheldAnswer('none');
    case 'drop':
      throw new WithheldAnswer('dropped');
    case 'slow':
      await delay(fault.seconds ?? 1, stopSignal);
      break;
    default:
  }
}
