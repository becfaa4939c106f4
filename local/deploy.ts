import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LocalClient } from './client.ts';
import { OperatorError } from './operator-error.ts';
import { compiledCode, killGroup } from './process.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Long enough for a busy machine with several deployments at once. */
export const DEPLOY_MILLISECONDS = 420_000;

export const LOCAL_REGION = 'us-east-1';

/** Returns the environment variables for a client of the local cloud. */
const localCredentials = ({ endpoint, region, credentials }: LocalClient) => ({
  AWS_ENDPOINT_URL: endpoint,
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
});

export type Deployed = {
  apiId: string;
  userPoolId: string;
  filesBucket: string;
  /** Host name of the dashboard's distribution. */
  distribution: string;
};

/**
 * Runs `cdk deploy --all`, as on AWS, into a LocalStack-compatible endpoint, but without change sets: the CLI would
 * spend a quarter of its CPU time on comparing them with the templates.
 * @param folder for the assembly, the outputs and the log
 * @param ended aborts the deployment
 * @param context of the CDK app
 * @param options.withinMs stops the deployment after this time. Default: 7 minutes
 * @param options.shared folder of zipped assets, which other deployments may share
 * @throws OperatorError if the deployment fails (it names the log) or takes too long
 */
export async function deploy(
  client: LocalClient,
  folder: string,
  ended: AbortSignal,
  context: Readonly<Record<string, string>>,
  { withinMs = DEPLOY_MILLISECONDS, shared }: { withinMs?: number; shared?: string | undefined } = {},
): Promise<Deployed> {
  const assembly = join(folder, 'cdk.out');
  if (shared) await shareZips(assembly, join(shared, 'zips'));
  const outputs = join(folder, 'outputs.json');
  const logFile = join(folder, 'deploy.log');
  const settings = Object.entries(context).flatMap(([name, value]) => ['--context', `${name}=${value}`]);
  const tooLong = AbortSignal.timeout(withinMs);
  const child = spawn(
    join(root, 'node_modules', '.bin', 'cdk'),
    [
      'deploy',
      '--all',
      '--require-approval',
      'never',
      '--method',
      'direct',
      '--no-notices',
      '--outputs-file',
      outputs,
      '--output',
      assembly,
      ...settings,
    ],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Its own process group, so that killGroup also ends the CDK's synthesis, which would otherwise write into the
      // folder of the next start.
      detached: true,
      env: {
        ...process.env,
        ...localCredentials(client),
        PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH ?? ''}`,
        // Skips the app's own checks, which the infra tests run and which would cost seconds here.
        CDK_VALIDATION: 'false',
        CDK_DISABLE_CLI_TELEMETRY: 'true',
        NODE_COMPILE_CACHE: compiledCode,
      },
    },
  );
  const end = AbortSignal.any([ended, tooLong]);
  end.addEventListener('abort', () => killGroup(child.pid), { once: true });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (log += text));
  const [code] = await once(child, 'close').catch((error: Error) => [error.message]);
  await writeFile(logFile, log);
  if (code !== 0)
    throw new OperatorError(
      tooLong.aborted
        ? `The deployment into the local cloud was stopped after ${Math.ceil(withinMs / 1000)} s: is the machine busy?`
        : `The service could not be deployed into the local cloud: ${logFile} says why.`,
    );
  return deployed(JSON.parse(await readFile(outputs, 'utf8')));
}

/** Finds the addresses of the service in the outputs of its stacks. */
export function deployed(stacks: Readonly<Record<string, Record<string, string>>>): Deployed {
  const values = Object.assign({}, ...Object.values(stacks)) as Record<string, string>;
  return {
    apiId: values.ApiId ?? '',
    userPoolId: values.UserPoolId ?? '',
    filesBucket: values.FilesBucketName ?? '',
    distribution: values.DistributionDomain ?? '',
  };
}

/**
 * Shares the zip files of the CDK's CLI between assemblies. The CLI names each file by the hash of its contents and
 * renames it into place when it is complete. An assembly that has its own folder of zip files keeps it.
 */
async function shareZips(assembly: string, zips: string): Promise<void> {
  for (const path of [assembly, zips]) await mkdir(path, { recursive: true });
  await symlink(resolve(zips), join(assembly, '.cache')).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
