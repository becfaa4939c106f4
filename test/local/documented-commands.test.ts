import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { stackParts } from '../../bin/admin/cloud/failed-stacks.ts';
import { filesBelow, read, root } from '../infra/support/sources.ts';
import { wordsOf } from '../support/admin/documented-commands.ts';

type Shape = { type?: string; enum?: readonly string[]; required?: readonly string[] };
/** The description of a service in botocore: its operations, with the members of their inputs. */
type Model = {
  operations: Record<string, { input?: { shape: string } }>;
  shapes: Record<string, Shape & { members?: Record<string, { shape: string }> }>;
};

/** The emulator's packages include the descriptions of all services, which the AWS CLI uses, too. */
const packages = join(root, '.local', 'python', 'lib');
const models = new Map(
  filesBelow(packages.slice(root.length), 'service-2.json.gz').map((path) => [path.split('/').at(-3) ?? '', path]),
);
/** Services with another name in the CLI. */
const named: Readonly<Record<string, string>> = { deploy: 'codedeploy' };
const modelOf = (service: string): Model | undefined => {
  const path = models.get(named[service] ?? service);
  return path === undefined ? undefined : (JSON.parse(gunzipSync(readFileSync(join(root, path))).toString()) as Model);
};

/** `ReplicateSecretToRegions` as the CLI spells it, without its hyphens. */
const plain = (name: string) => name.replaceAll('-', '').toLowerCase();
/** Flags of the CLI itself. */
const ofCli = ['region', 'query', 'output', 'profile'];
const isScalar = ({ type }: Shape = {}) => !['structure', 'list', 'map'].includes(type ?? '');

/** The flags of a command with their values, without their hyphens. A sentence may omit values. */
function flagsOf(words: readonly string[]): Map<string, string | undefined> {
  const flags = words.flatMap((word, index) => (word.startsWith('--') ? [[word, words[index + 1]] as const] : []));
  return new Map(
    flags.map(([flag, next]) => {
      const [name = '', value = next?.startsWith('--') ? undefined : next] = flag.slice(2).split('=');
      return [name, value];
    }),
  );
}

/** @returns the first error in a command of the AWS CLI */
function problemOf(command: string): string | undefined {
  const [, service = '', operation = '', ...words] = wordsOf(command);
  const model = modelOf(service);
  if (!model) return `there is no service ${service}`;
  const known = Object.entries(model.operations).find(([name]) => plain(name) === plain(operation));
  if (!known) return `${service} has no operation ${operation}`;
  const { members = {}, required = [] } = model.shapes[known[1].input?.shape ?? ''] ?? {};
  const given = flagsOf(words);
  const written = [...given.keys()].map(plain);
  const missing = required.find((member) => !written.includes(plain(member)));
  if (missing) return `${service} ${operation} requires ${missing}`;
  for (const [flag, value] of given) {
    if (ofCli.includes(flag)) continue;
    const [name, member] = Object.entries(members).find(([member]) => plain(member) === plain(flag)) ?? [];
    if (!name) return `${service} ${operation} has no --${flag}`;
    const shape = model.shapes[member?.shape ?? ''];
    if (isScalar(shape) && shape?.enum && value && !shape.enum.includes(value))
      return `${service} ${operation} does not know --${flag} ${value}`;
  }
  return undefined;
}

/** Commands of another program in the documents below a folder: whole lines of blocks, and code in sentences. */
function commandsOfProgram(program: string, folder: string): string[] {
  return filesBelow(folder, '.md').flatMap((page) => {
    const text = read(page).replaceAll('\\\n', ' ');
    const inline = [...text.matchAll(new RegExp(`\`(${program} [^\`]*)\``, 'g'))];
    const blocks = [...text.matchAll(new RegExp(`^ *(${program} [^\n|]*)`, 'gm'))];
    return [...inline, ...blocks].map(([, command = '']) => command.replace(/\s+/g, ' ').trim());
  });
}

describe('the commands of the AWS CLI in the documents, compared with the descriptions of the services', () => {
  const commands = commandsOfProgram('aws [a-z0-9-]+ [a-z-]+', 'docs').filter((command) => command !== 'aws logs');

  it('name operations of AWS, with all required flags, no unknown flags and no unknown values of enumerations', () => {
    expect(commands.length).toBeGreaterThan(10);
    expect(commands.flatMap((command) => problemOf(command) ?? [])).toEqual([]);
  });

  it('are refused if an operation, flag or value is unknown or missing, which proves that this test can fail', () => {
    expect(problemOf('aws kms replicate-keys')).toBe('kms has no operation replicate-keys');
    expect(problemOf('aws kms replicate-key --key-id ID')).toBe('kms replicate-key requires ReplicaRegion');
    expect(problemOf('aws kms enable-key --key-id ID --now')).toBe('kms enable-key has no --now');
    expect(problemOf('aws keys list')).toBe('there is no service keys');
    expect(problemOf('aws kms create-key --key-usage WRITE')).toBe('kms create-key does not know --key-usage WRITE');
  });
});

const flagsOfCdk = new Map<string, ReadonlySet<string> | undefined>();
/** The flags in the help of a CDK command, whose start takes a second; undefined if there is no such command. */
function knownFlagsOf(verb: string): ReadonlySet<string> | undefined {
  if (!flagsOfCdk.has(verb)) {
    const programs = join(root, 'node_modules', '.bin');
    const env = { ...process.env, PATH: `${programs}:${process.env.PATH}`, CDK_DISABLE_CLI_TELEMETRY: 'true' };
    const help = execFileSync('cdk', [verb, '--help'], { encoding: 'utf8', env });
    flagsOfCdk.set(verb, help.startsWith(`cdk ${verb} `) ? new Set(help.match(/--?[a-z][a-z-]*/g)) : undefined);
  }
  return flagsOfCdk.get(verb);
}

/** @returns the first error in a command of the CDK */
function problemOfCdk(command: string): string | undefined {
  const [, , verb = '', ...words] = wordsOf(command);
  const known = knownFlagsOf(verb);
  if (!known) return `there is no command ${verb}`;
  const flag = words.find((word) => word.startsWith('-') && !known.has(word));
  if (flag) return `${verb} has no ${flag}`;
  const stacks = words.filter((word, index) => !word.startsWith('-') && words[index - 1] !== '-c');
  const stack = stacks.find((word) => !(stackParts as readonly string[]).includes(word));
  return stack && `there is no stack ${stack}`;
}

describe('the commands of the CDK in the documents, which need AWS and are not run', () => {
  it('have only flags that their help lists, and stacks of the service', () => {
    const commands = commandsOfProgram('npx cdk [a-z]+', 'docs').map((command) => command.replace(/ #.*/, ''));
    expect(commands).toContain('npx cdk deploy workers api dashboard observability --exclusively -c stage=prod');
    expect(commands.flatMap((command) => problemOfCdk(command) ?? [])).toEqual([]);
  });

  it('are refused if a command, flag or stack is unknown, which proves that this test can fail', () => {
    expect(problemOfCdk('npx cdk undeploy --all')).toBe('there is no command undeploy');
    expect(problemOfCdk('npx cdk deploy workers --exclusive -c stage=prod')).toBe('deploy has no --exclusive');
    expect(problemOfCdk('npx cdk deploy worker -c stage=prod')).toBe('there is no stack worker');
  });
});
