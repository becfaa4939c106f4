import type { LeadFields, Reassignment } from './payloads.ts';

/** The address of the deliveries, and the token that proves their origin. */
export type Webhook = { url: string; token: string };

export type Body = LeadFields | Reassignment | readonly (LeadFields | Reassignment)[];

export type BurstResult = {
  seconds: number;
  /** The number of answers with each status. */
  statuses: Map<number | 'no answer', number>;
  /** Posts that were sent, accepted or not. */
  posts: number;
  leads: number;
  phones: number;
  /** Whether the burst stopped because LeadSquared would disable the webhook. */
  turnedOff: boolean;
};

/** LeadSquared disables a webhook after this many failures in a row. */
export const MAX_FAILURES = 10;

/** The integration timeout of an HTTP API on AWS. */
const REQUEST_MS = 30_000;

/** The service did not answer, or not in time. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** Sends to a webhook as LeadSquared does. Every status except 200 is a failure. */
export function crmASender({ url, token }: Webhook, requestMs = REQUEST_MS) {
  async function send(init: RequestInit): Promise<{ status: number; text: string }> {
    try {
      const answer = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(requestMs) });
      return { status: answer.status, text: await answer.text() };
    } catch (error) {
      const { name, cause } = error as { name?: string; cause?: { code?: string } };
      const why = name === 'TimeoutError' ? `not within ${requestMs / 1000} s` : cause?.code;
      throw new NoAnswer(`${url} does not answer${why ? ` (${why})` : ''}`);
    }
  }

  const post = (body: Body) =>
    send({
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-crma-webhook-token': token },
      body: JSON.stringify(body),
    });

  return {
    /** Sends the requests of a registration: HEAD, then GET, without token and body. LeadSquared expects 2xx. */
    async register(): Promise<{ head: number; get: number }> {
      const head = await send({ method: 'HEAD' });
      const get = await send({ method: 'GET' });
      return { head: head.status, get: get.status };
    },

    /** @throws NoAnswer */
    post,

    /** Posts all bodies, `atOnce` at a time, and stops after 10 failures in a row, in the order of the answers. */
    async burst(bodies: readonly LeadFields[], atOnce: number): Promise<BurstResult> {
      const statuses: BurstResult['statuses'] = new Map();
      let next = 0;
      let failures = 0;
      let turnedOff = false;
      const started = performance.now();
      const work = async () => {
        while (next < bodies.length && !turnedOff) {
          const body = bodies[next++] as LeadFields;
          const status = await post(body).then((answer) => answer.status, onNoAnswer);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          failures = status === 200 ? 0 : failures + 1;
          if (failures === MAX_FAILURES) turnedOff = true;
        }
      };
      await Promise.all(Array.from({ length: Math.min(atOnce, bodies.length) }, work));
      const sent = bodies.slice(0, next);
      return {
        seconds: (performance.now() - started) / 1000,
        statuses,
        posts: sent.length,
        leads: new Set(sent.map(({ ProspectID }) => ProspectID)).size,
        phones: new Set(sent.map(({ Phone }) => Phone)).size,
        turnedOff,
      };
    },
  };
}

function onNoAnswer(error: unknown): 'no answer' {
  if (error instanceof NoAnswer) return 'no answer';
  throw error;
}
