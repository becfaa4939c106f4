import { openCloud } from '../../../bin/admin/cloud/cloud.ts';
import { names } from '../../../lib/names.ts';
import { runCollected } from '../../support/admin/admin.ts';
import { awsSimulator } from '../../support/admin/aws-simulator.ts';
import { aFile } from '../../support/admin/offline-admin.ts';
import { closeServers } from '../../support/loopback.ts';

afterEach(closeServers);

const named = names('local');
const idOf = (name: string) =>
  `arn:aws:cloudformation:${name.endsWith('edge') ? 'ap-south-1' : 'us-east-1'}:123456789012:stack/${name}/1`;

/** Runs `stage repair` on a stage with these stacks. @param states by their names */
async function repair(states: Readonly<Record<string, string>>) {
  const { url, requests } = await awsSimulator({
    DescribeStacks: ({ input: { StackName = '' } }) =>
      StackName in states
        ? {
            xml: `<Stacks><member><StackName>${StackName}</StackName><StackId>${idOf(StackName)}</StackId><StackStatus>${states[StackName]}</StackStatus></member></Stacks>`,
          }
        : { error: 'ValidationError', message: `Stack with id ${StackName} does not exist` },
    UpdateTerminationProtection: { xml: '' },
    DeleteStack: { xml: '' },
  });
  const environment = aFile(
    'repair.json',
    JSON.stringify({
      ...{ base_url: url, emulator_url: url, region: 'ap-south-1' },
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    }),
  );
  const cloud = openCloud({}, { CALLING_SERVICE_ENVIRONMENT: environment });
  const { code, stdout } = await runCollected(['stage', 'repair', '--json'], { cloud });
  const people = await runCollected(['stage', 'repair'], { cloud });
  return { code, answer: JSON.parse(stdout), people: people.stdout, requests };
}

it.each([
  ['failed', 'ROLLBACK_COMPLETE'],
  ['half deleted', 'DELETE_FAILED'],
])('stage repair removes a %s stack of the other region there, after the addresses that use it', async (_, status) => {
  const failed = ['edge', 'dashboard-certificate'].map(named.stack);
  const { code, answer, requests } = await repair(Object.fromEntries(failed.map((name) => [name, status])));
  const nothing = { tables: [], user_pools: [], in_progress: [] };
  expect([code, answer]).toEqual([0, { stage: 'local', stacks: failed, ...nothing }]);
  const deleted = requests.filter(({ operation }) => operation === 'DeleteStack').slice(0, failed.length);
  expect(deleted.map(({ input, region }) => [input.StackName, region])).toEqual([
    [idOf(failed[0] ?? ''), 'ap-south-1'],
    [idOf(failed[1] ?? ''), 'us-east-1'],
  ]);
});

it('stage repair names the stacks that CloudFormation still changes, and fails, because they may fail yet', async () => {
  const edge = named.stack('edge');
  const { code, answer, people, requests } = await repair({
    [edge]: 'DELETE_IN_PROGRESS',
    [named.stack('data')]: 'UPDATE_COMPLETE',
  });
  expect([code, answer]).toMatchObject([1, { stacks: [], in_progress: [edge] }]);
  expect(people).toMatch(
    /nothing was changed\.\n.*-edge is DELETE_IN_PROGRESS: wait until .* run the command again\.$/m,
  );
  expect(requests.map(({ operation }) => operation)).not.toContain('DeleteStack');
});

it('stage repair waits for no stack whose first deployment was prepared, and never started', async () => {
  const { code, answer } = await repair({ [named.stack('data')]: 'REVIEW_IN_PROGRESS' });
  expect([code, answer]).toMatchObject([0, { stacks: [], in_progress: [] }]);
});
