import { openCloud } from '../../../bin/admin/cloud/cloud.ts';
import { names } from '../../../lib/names.ts';
import { runCollected } from '../../support/admin/admin.ts';
import { awsSimulator } from '../../support/admin/aws-simulator.ts';
import { aFile } from '../../support/admin/offline-admin.ts';
import { closeServers } from '../../support/loopback.ts';

afterEach(closeServers);

it.each([
  ['failed', 'ROLLBACK_COMPLETE'],
  ['half deleted', 'DELETE_FAILED'],
])('stage repair removes a %s stack of the other region there, after the addresses that use it', async (_, status) => {
  const named = names('local');
  const failed = ['edge', 'dashboard-certificate'].map(named.stack);
  const idOf = (name: string) =>
    `arn:aws:cloudformation:${name.endsWith('edge') ? 'ap-south-1' : 'us-east-1'}:123456789012:stack/${name}/1`;
  const { url, requests } = await awsSimulator({
    DescribeStacks: ({ input }) =>
      failed.includes(input.StackName ?? '')
        ? {
            xml: `<Stacks><member><StackName>${input.StackName}</StackName><StackId>${idOf(input.StackName ?? '')}</StackId><StackStatus>${status}</StackStatus></member></Stacks>`,
          }
        : { error: 'ValidationError', message: `Stack with id ${input.StackName} does not exist` },
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
  expect([code, JSON.parse(stdout)]).toEqual([0, { stage: 'local', stacks: failed, tables: [], user_pools: [] }]);
  const deleted = requests.filter(({ operation }) => operation === 'DeleteStack');
  expect(deleted.map(({ input, region }) => [input.StackName, region])).toEqual([
    [idOf(failed[0] ?? ''), 'ap-south-1'],
    [idOf(failed[1] ?? ''), 'us-east-1'],
  ]);
});
