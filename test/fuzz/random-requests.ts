import fc from 'fast-check';
import { requestOnce } from '../support/rest/rest.ts';
import { concurrently } from '../support/stack/stack.ts';
import type { Statuses } from './counts.ts';
import type { Target } from './targets.ts';

const AT_ONCE = 4;

/** The parts that a client may add to a request of a route that reads neither parameters nor a body. */
const noise = fc.record({
  query: fc.dictionary(fc.string(), fc.string(), { maxKeys: 4 }),
  headers: fc.dictionary(fc.stringMatching(/^x-[a-z0-9-]{1,20}$/), fc.stringMatching(/^[!-~]([ -~]{0,40}[!-~])?$/), {
    maxKeys: 4,
  }),
  body: fc.option(fc.jsonValue(), { nil: undefined }),
});

/**
 * Sends requests with random queries, headers and bodies to a route without input, to which the fuzzer would send only
 * one request.
 * @param name method and path. @returns the counts of the statuses, and a line for each wrong answer
 */
export async function sendRandomRequests(
  name: string,
  { target, requests, seed }: { target: Target | undefined; requests: number; seed: number },
): Promise<{ statuses: Statuses; failures: string[] }> {
  const [method = '', path = ''] = name.split(' ');
  const counts: Record<string, number> = {};
  const failures: string[] = [];
  await concurrently(AT_ONCE, fc.sample(noise, { numRuns: requests, seed }), async ({ query, headers, body }) => {
    const isSent = method !== 'GET' && body !== undefined;
    const sent = {
      headers: { ...headers, ...target?.headers },
      ...(isSent && { body: JSON.stringify(body) }),
    };
    try {
      const { status } = await requestOnce(method, `${path}?${new URLSearchParams(query)}`, sent);
      counts[status] = (counts[status] ?? 0) + 1;
      if (status >= 500) failures.push(`${name} answers ${status}`);
    } catch (error) {
      failures.push(`${name}: ${(error as Error).message}`);
    }
  });
  return { statuses: { [name]: counts }, failures };
}
