import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  CloudFormationClient,
  CreateStackCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { zipSync } from 'fflate';
import type { LocalClient } from './client.ts';
import { callAsRoot } from './cloud.ts';
import { DEPLOY_MILLISECONDS, LOCAL_REGION } from './deploy.ts';
import { OperatorError } from './operator-error.ts';
import { compiledCode } from './process.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const SYNTHESIS_MILLISECONDS = 300_000;
const POLL_MS = 50;

/** The context of the CDK app that differs in each start: the addresses of its own servers. */
const ADDRESSES = [
  'publicUrl',
  'dashboardUrl',
  'filesOrigin',
  'voiceApiUrl',
  'zohoAccountsUrl',
  'crmBApiUrl',
  'helpDeskApiUrl',
  'modelApiUrl',
] as const;
export type Addresses = Record<(typeof ADDRESSES)[number], string>;

/** The context that the CDK's CLI gives each app. */
const contextOfCli = {
  'aws:cdk:enable-path-metadata': true,
  'aws:cdk:enable-asset-metadata': true,
  'aws:cdk:version-reporting': true,
  'aws:cdk:bundling-stacks': ['**'],
};

/** Addresses of equal length, so that no address is a prefix of another. */
const placeholders = Object.fromEntries(
  ADDRESSES.map((name, index) => [name, `http://127.0.0.1:${64_001 + index}`]),
) as Addresses;

type Artifact = {
  type: string;
  dependencies?: string[];
  properties: { file: string; stackName: string; templateFile: string; stackTemplateAssetObjectUrl: string };
};
type Asset = {
  source: { path: string; packaging: 'zip' | 'file' };
  destinations: Record<string, { bucketName: string; objectKey: string }>;
};

const zipOf = (assembly: string, path: string): string => join(assembly, `${path}.zip`);

/**
 * Synthesizes the CDK app once for several starts, with placeholders for their addresses.
 * @param folder of the assembly @param context the rest of the app's context
 */
export async function synthesize(folder: string, context: Readonly<Record<string, string>>): Promise<void> {
  const own = { stage: 'local', region: LOCAL_REGION };
  const { context: ofApp } = JSON.parse(await readFile(join(root, 'cdk.json'), 'utf8'));
  await promisify(execFile)(process.execPath, ['bin/calling-service.ts'], {
    cwd: root,
    timeout: SYNTHESIS_MILLISECONDS,
    env: {
      PATH: process.env.PATH,
      CDK_OUTDIR: folder,
      CDK_CONTEXT_JSON: JSON.stringify({ ...ofApp, ...contextOfCli, ...own, ...context, ...placeholders }),
      CDK_DEFAULT_ACCOUNT: '000000000000',
      CDK_DEFAULT_REGION: LOCAL_REGION,
      CDK_VALIDATION: 'false',
      NODE_COMPILE_CACHE: compiledCode,
    },
  });
  for (const { source } of await assetsOf(folder))
    if (source.packaging === 'zip')
      await writeFile(zipOf(folder, source.path), await zipped(join(folder, source.path)));
}

async function artifactsOf(assembly: string): Promise<Artifact[]> {
  const { artifacts } = JSON.parse(await readFile(join(assembly, 'manifest.json'), 'utf8'));
  return Object.values(artifacts);
}

async function assetsOf(assembly: string): Promise<Asset[]> {
  const manifests = (await artifactsOf(assembly)).filter(({ type }) => type === 'cdk:asset-manifest');
  const files = manifests.map(({ properties }) => readFile(join(assembly, properties.file), 'utf8'));
  return (await Promise.all(files)).flatMap((text) => Object.values(JSON.parse(text).files));
}

/** Zips a folder without compression, because the archive stays on this machine. */
async function zipped(folder: string): Promise<Uint8Array> {
  const files: Record<string, Uint8Array> = {};
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files[relative(folder, path)] = await readFile(path);
  }
  return zipSync(files, { level: 0 });
}

/**
 * Deploys an assembly of `synthesize`, as the CDK's CLI does with `--method direct`, in a tenth of its CPU time.
 * @param withinMs the time for all stacks. Default: 7 minutes
 * @returns the outputs of each stack
 * @throws Error if a stack fails, or OperatorError if the stacks take too long
 */
export async function deployAssembly(
  client: LocalClient,
  assembly: string,
  addresses: Addresses,
  ended: AbortSignal,
  withinMs = DEPLOY_MILLISECONDS,
): Promise<Record<string, Record<string, string>>> {
  const deadline = performance.now() + withinMs;
  for (const { source, destinations } of await assetsOf(assembly)) {
    const content = await contentOf(assembly, source, addresses);
    for (const { bucketName, objectKey } of Object.values(destinations))
      await callAsRoot(client, 's3', { method: 'PUT', path: `/${bucketName}/${objectKey}`, body: content });
    ended.throwIfAborted();
  }
  const outputs: Record<string, Record<string, string>> = {};
  const cloudFormation = new CloudFormationClient(client);
  // The manifest names each stack after those on which it depends.
  for (const { type, properties } of await artifactsOf(assembly))
    if (type === 'aws:cloudformation:stack') {
      const { Outputs = [] } = await created(cloudFormation, properties, deadline, ended);
      outputs[properties.stackName] = Object.fromEntries(
        Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
      );
    }
  return outputs;
}

async function contentOf(assembly: string, { path, packaging }: Asset['source'], addresses: Addresses) {
  if (packaging === 'zip') return readFile(zipOf(assembly, path));
  if (!path.endsWith('.template.json')) return readFile(join(assembly, path));
  const template = await readFile(join(assembly, path), 'utf8');
  return ADDRESSES.reduce((text, name) => text.replaceAll(placeholders[name], addresses[name]), template);
}

async function created(
  cloudFormation: CloudFormationClient,
  { stackName: StackName, stackTemplateAssetObjectUrl }: Artifact['properties'],
  deadline: number,
  ended: AbortSignal,
): Promise<Stack> {
  const TemplateURL = stackTemplateAssetObjectUrl.replace('s3://', 'https://s3.us-east-1.amazonaws.com/');
  const Capabilities = ['CAPABILITY_IAM', 'CAPABILITY_NAMED_IAM', 'CAPABILITY_AUTO_EXPAND'] as const;
  await cloudFormation.send(new CreateStackCommand({ StackName, TemplateURL, Capabilities: [...Capabilities] }));
  for (;;) {
    const { Stacks: [stack] = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName }));
    if (stack?.StackStatus === 'CREATE_COMPLETE') return stack;
    if (stack?.StackStatus !== 'CREATE_IN_PROGRESS') {
      const { StackEvents = [] } = await cloudFormation.send(new DescribeStackEventsCommand({ StackName }));
      const failed = StackEvents.filter(({ ResourceStatus = '' }) => ResourceStatus.endsWith('_FAILED'));
      throw new Error(`${StackName}: ${failed.map(({ ResourceStatusReason }) => ResourceStatusReason).join(', ')}`);
    }
    if (performance.now() > deadline)
      throw new OperatorError(`The local cloud did not create ${StackName} in time: is the machine busy?`);
    await sleep(POLL_MS, undefined, { signal: ended });
  }
}
