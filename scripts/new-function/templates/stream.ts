import type { Plan } from '../plan.ts';
import { operationImport, type Template, unitTestOf } from '../template.ts';

export const stream = (plan: Plan): Template => {
  const { name, camel, pascal } = plan;
  return {
    folder: 'streams',
    entry: `
${operationImport(plan, '../../')}
import { logger } from '../../shared/runtime/logger.ts';
import { streamWorker } from '../../shared/runtime/stream-worker.ts';
import { parseCall } from '../../shared/stores/calls/call-item.ts';

const deps = { info: (message: string, facts: Record<string, string>) => logger.info(message, facts) };

export const handler = streamWorker(parseCall, (changes) => ${camel}(deps, changes));
`,
    operation: `
type ${pascal}Deps = { info: (message: string, facts: Record<string, string>) => void };
type Change = { sequenceNumber: string; after: { call_id: string } };

/**
 * Logs each change of a call.
 *
 * @returns the sequence number of the first change that must be delivered again; undefined if all are done
 */
export async function ${camel}(deps: ${pascal}Deps, changes: Change[]): Promise<string | undefined> {
  for (const { after } of changes) deps.info('call changed', { call_id: after.call_id });
  return undefined;
}
`,
    unitTest: unitTestOf(
      plan,
      `
  it('logs the id of every call that changed, in order', async () => {
    const logged: string[] = [];
    const deps = { info: (_: string, { call_id = '' }: Record<string, string>) => logged.push(call_id) };
    const changes = ['call_1', 'call_2'].map((call_id) => ({ sequenceNumber: call_id, after: { call_id } }));
    expect(await ${camel}(deps, changes)).toBeUndefined();
    expect(logged).toEqual(['call_1', 'call_2']);
  });`,
    ),
    row: `
    entry: 'streams/${name}',
    trigger: { kind: 'stream', table: 'calls' },
    uses: {},
    ifItFails: 'Changes wait in the stream; given up ones are on its on-failure queue.',`,
    docs: ['stream of the calls table', 'nothing'],
  };
};
