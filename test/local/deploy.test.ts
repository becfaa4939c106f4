import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Addresses, deployAssembly } from '../../local/assembly.ts';
import { deploy, LOCAL_REGION } from '../../local/deploy.ts';
import { closeServers, serve } from '../support/loopback.ts';
import { untilNoError } from '../support/runner/until-no-error.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'deploy-'));
});
afterEach(() => rm(folder, { recursive: true }));
afterEach(closeServers);

const client = {
  endpoint: 'http://127.0.0.1:9',
  region: LOCAL_REGION,
  credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
};

/** Lists the processes whose arguments or environment name the folder. */
async function processesOf(named: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  const variables = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')));
  return pids.filter((_, index) => commands[index]?.includes(named) || variables[index]?.includes(named));
}

it('reports that a deployment took too long, even if its log is silent', async () => {
  await expect(deploy(client, folder, new AbortController().signal, {}, { withinMs: 1 })).rejects.toThrow(
    'was stopped after 1 s: is the machine busy?',
  );
});

it('reports that the stacks of an assembly took too long', async () => {
  const properties = { stackName: 'calls', stackTemplateAssetObjectUrl: 's3://templates/calls' };
  const manifest = { artifacts: { calls: { type: 'aws:cloudformation:stack', properties } } };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  const stack = '<member><StackName>calls</StackName><StackStatus>CREATE_IN_PROGRESS</StackStatus></member>';
  const { url } = await serve((incoming, outgoing) => {
    incoming.setEncoding('utf8').once('data', (body: string) => {
      const action = new URLSearchParams(body).get('Action') ?? '';
      const result = `<${action}Result><Stacks>${stack}</Stacks></${action}Result>`;
      outgoing.end(`<${action}Response>${result}</${action}Response>`);
    });
  });
  const deploying = deployAssembly(
    { ...client, endpoint: url },
    folder,
    {} as Addresses,
    AbortSignal.timeout(5_000),
    100,
  );
  await expect(deploying).rejects.toThrow('did not create calls in time');
});

it('finds the packages that another deployment has zipped, and keeps those in its own folder', async () => {
  const deployed = async (own: string) => {
    const options = { withinMs: 1, shared: join(folder, 'shared') };
    await expect(deploy(client, join(folder, own), new AbortController().signal, {}, options)).rejects.toThrow(
      'was stopped',
    );
    return readdir(join(folder, own, 'cdk.out', '.cache'));
  };
  await mkdir(join(folder, 'shared', 'zips'), { recursive: true });
  await writeFile(join(folder, 'shared', 'zips', 'asset.zip'), '');
  expect(await deployed('one')).toEqual(['asset.zip']);
  expect(await deployed('one')).toEqual(['asset.zip']);
  await mkdir(join(folder, 'other', 'cdk.out', '.cache'), { recursive: true });
  expect(await deployed('other')).toEqual([]);
});

it('ends all processes that it started when it is aborted', async () => {
  const ending = new AbortController();
  const deploying = deploy(client, folder, ending.signal, { stage: 'local' });
  // The synthesis gets the folder of the assembly in its environment (CDK_OUTDIR).
  await untilNoError(async () => expect((await processesOf(folder)).length).toBeGreaterThan(1));
  ending.abort();
  await expect(deploying).rejects.toThrow('could not be deployed');
  expect(await processesOf(folder)).toEqual([]);
});
