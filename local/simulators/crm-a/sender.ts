import type { LeadFields, Reassignment } from './payloads.ts';

/** Where the deliveries go, and what proves that they are LeadSquared's. */
export type Webhook = { url: string; token: string };

export type Body = LeadFields | Reassignment | readonly (LeadFields | Reassignment)[];

export type BurstResult = {
  seconds: number;
  /** How often each status was answered; `no answer` where none came. */
  statuses: Map<number | 'no answer', number>;
  /** What was sent, including what was not accepted. */
  posts: number;
  leads: number;
  phones: number;
  /** LeadSquared would turn the webhook off; the rest of the burst was not sent. */
  turnedOff: boolean;
};

/** LeadSquared disables a webhook after so many failures in a row. */
export const MOST_FAILURES = 10;

/** As long as an HTTP API lets its function take. */
const REQUEST_MS = 30_000;

/** Nobody answered, or not in time. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** LeadSquared's side of a webhook. It wants 200; anything else is a failure to it. */
export function crmASender({ url, token }: Webhook, requestMs = REQUEST_MS) {
  async function ask(init: RequestInit): Promise<{ status: number; text: string }> {
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
    ask({
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-crma-webhook-token': token },
      body: JSON.stringify(body),
    });

  return {
    /** What LeadSquared asks when a webhook is registered: HEAD, then GET, with neither token nor body. It wants 2xx. */
    async register(): Promise<{ head: number; get: number }> {
      const head = await ask({ method: 'HEAD' });
      const get = await ask({ method: 'GET' });
      return { head: head.status, get: get.status };
    },

    /** @throws NoAnswer */
    post,

    /** Posts all bodies, so many at once, and stops after 10 failures in a row, in the order of the answers. */
    async burst(bodies: readonly LeadFields[], atOnce: number): Promise<BurstResult> {
      const statuses: BurstResult['statuses'] = new Map();
      let next = 0;
      let failures = 0;
      let turnedOff = false;
      const started = performance.now();
      const work = async () => {
        while (next < bodies.length && !turnedOff) {
          const body = bodies[next++] as LeadFields;
          const status = await post(body).then((answer) => answer.status, whereNoAnswer);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          failures = status === 200 ? 0 : failures + 1;
          if (failures === MOST_FAILURES) turnedOff = true;
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

function whereNoAnswer(error: unknown): 'no answer' {
  if (error instanceof NoAnswer) return 'no answer';
  throw error;
}
