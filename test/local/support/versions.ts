import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  GetTemplateCommand,
  ListStacksCommand,
  type Stack,
  UpdateStackCommand,
} from '@aws-sdk/client-cloudformation';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { names } from '../../../lib/names.ts';
import type { RootKey } from '../../../local/client.ts';
import { compiledCode } from '../../../local/process.ts';
import { untilNoError } from '../../support/runner/until-no-error.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The bucket of `cdk bootstrap`. */
const ASSETS = 'cdk-hnb659fds-assets-000000000000-us-east-1';
const MAX_REASONS = 5;

/** The stacks of a stage in the order in which the CDK deploys them (lib/calling-service.ts). */
const parts = ['data', 'messaging', 'edge', 'workers', 'api', 'dashboard', 'pages', 'observability'] as const;
type StackPart = (typeof parts)[number];

/** The templates of a version of the service. */
type Version = Readonly<Record<StackPart, string>>;

const stackOf = (part: StackPart) => names('local').stack(part);
const ofParts = (entries: readonly (readonly [StackPart, string])[]) => Object.fromEntries(entries) as Version;

/** Synthesizes the app of the local stage with another context, without some of its functions. */
export async function synthesizeVersion(
  context: Readonly<Record<string, unknown>>,
  withoutFunctions: readonly string[],
): Promise<Version> {
  const folder = mkdtempSync(join(tmpdir(), 'version-'));
  const { context: ofApp } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as { context: object };
  try {
    const program = ['--import', './test/local/support/without-functions.ts', 'bin/calling-service.ts'];
    await promisify(execFile)(join(root, 'node_modules', '.bin', 'node'), program, {
      cwd: root,
      env: {
        ...process.env,
        WITHOUT_FUNCTIONS: withoutFunctions.join(','),
        CDK_OUTDIR: folder,
        CDK_CONTEXT_JSON: JSON.stringify({ ...ofApp, stage: 'local', ...context }),
        CDK_VALIDATION: 'false',
        NODE_COMPILE_CACHE: compiledCode,
        // The service was started from this checkout. Bundling fewer functions would invalidate the others' stamp.
        BUNDLED_CHECKOUT: root,
      },
    });
    return ofParts(parts.map((part) => [part, readFileSync(join(folder, `${part}.template.json`), 'utf8')]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Renames a function in its row and in everything derived from it, as a new version would. */
export function renameFunction(version: Version, from: string, to: string): Version {
  const [fromId, toId] = [from, to].map((name) => name.replaceAll('-', '')) as [string, string];
  const rename = (template: string) => template.replaceAll(from, to).replaceAll(fromId, toId);
  return ofParts(parts.map((part) => [part, part === 'data' ? version[part] : rename(version[part])]));
}

/** Deploys versions of the local stage. @param config of the clients of its cloud */
export class Deployer {
  readonly #cloudFormation: CloudFormationClient;
  readonly #s3: S3Client;

  constructor(config: { endpoint: string; region: string; credentials: RootKey }) {
    this.#cloudFormation = new CloudFormationClient(config);
    this.#s3 = new S3Client({ ...config, forcePathStyle: true });
  }

  /** Reads the version that is deployed. */
  async deployed(): Promise<Version> {
    const read = async (part: StackPart) => {
      const { TemplateBody = '' } = await this.#cloudFormation.send(
        new GetTemplateCommand({ StackName: stackOf(part) }),
      );
      return [part, TemplateBody] as const;
    };
    return ofParts(await Promise.all(parts.map(read)));
  }

  /**
   * Deploys a version in the order of its stacks, as `cdk deploy --all` does.
   * @param only these stacks, as with `--exclusively`; default: all @throws if CloudFormation refuses
   */
  async deploy(version: Version, only: readonly StackPart[] = parts): Promise<void> {
    for (const part of parts.filter((one) => only.includes(one))) {
      const status = (await this.#stack(part))?.StackStatus;
      const input = {
        StackName: stackOf(part),
        TemplateURL: await this.#upload(part, version[part]),
        Capabilities: ['CAPABILITY_IAM' as const],
      };
      if (status === undefined) await this.#cloudFormation.send(new CreateStackCommand(input));
      else if (!(await this.#update(input))) continue;
      const end = await this.#untilEnded(part);
      if (!/^(CREATE|UPDATE)_COMPLETE$/.test(end ?? ''))
        throw new Error(`${part}: ${end}; ${await this.#reasons(part)}`);
    }
  }

  /** Deletes a stack. @throws if CloudFormation refuses */
  async delete(part: StackPart): Promise<void> {
    await this.#cloudFormation.send(new DeleteStackCommand({ StackName: stackOf(part) }));
    const end = await this.#untilEnded(part);
    if (end !== undefined) throw new Error(`${part}: ${end}; ${await this.#reasons(part)}`);
  }

  /** Returns the values of a stack's outputs. */
  async outputs(part: StackPart): Promise<Record<string, string>> {
    const { Outputs = [] } = (await this.#stack(part)) ?? {};
    return Object.fromEntries(Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
  }

  /** Uploads a template, which is too large for a request. */
  async #upload(part: StackPart, Body: string): Promise<string> {
    const Key = `${part}.template.json`;
    await this.#s3.send(new PutObjectCommand({ Bucket: ASSETS, Key, Body }));
    return `https://s3.us-east-1.amazonaws.com/${ASSETS}/${Key}`;
  }

  /** @returns false if no resource changes */
  #update(input: { StackName: string; TemplateURL: string }): Promise<boolean> {
    return this.#cloudFormation.send(new UpdateStackCommand(input)).then(
      () => true,
      (error: Error) => {
        if (error.message === 'No updates are to be performed.') return false;
        throw error;
      },
    );
  }

  /** @returns undefined if the stack does not exist. */
  async #stack(part: StackPart): Promise<Stack | undefined> {
    const { StackSummaries = [] } = await this.#cloudFormation.send(new ListStacksCommand({}));
    const exists = StackSummaries.some(
      ({ StackName, StackStatus }) => StackName === stackOf(part) && StackStatus !== 'DELETE_COMPLETE',
    );
    if (!exists) return undefined;
    const { Stacks } = await this.#cloudFormation.send(new DescribeStacksCommand({ StackName: stackOf(part) }));
    return Stacks?.[0];
  }

  #untilEnded(part: StackPart): Promise<string | undefined> {
    return untilNoError(async () => {
      const status = (await this.#stack(part))?.StackStatus;
      if (status?.endsWith('IN_PROGRESS')) throw new Error(`${part}: still ${status}`);
      return status;
    }, 90);
  }

  async #reasons(part: StackPart): Promise<string> {
    const { StackEvents = [] } = await this.#cloudFormation.send(
      new DescribeStackEventsCommand({ StackName: stackOf(part) }),
    );
    const found = StackEvents.flatMap(({ ResourceStatusReason }) => ResourceStatusReason || []);
    return found.slice(0, MAX_REASONS).join('; ');
  }
}
