import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { filesBelow, read, root } from '../infra/support/sources.ts';
import { commandsOf, verbAt, wordsOf } from '../support/admin/documented-commands.ts';
import { readSeenCommands } from '../support/admin/seen-commands.ts';

const runbooks = filesBelow('docs/runbooks', '.md');

/** Flags that every verb has. */
const isCommon = (flag: string) => ['--stage', '--region', '--json'].includes(flag);
const flagsOf = (command: string) => wordsOf(command).filter((word) => word.startsWith('--') && !isCommon(word));

describe('the commands of the runbooks', () => {
  const seen = readSeenCommands();
  const commands = runbooks.flatMap(commandsOf);

  it('were run successfully by tests of other suites', () => {
    const unrun = commands.filter(({ command }) => {
      const [words = command] = verbAt(command) ?? [];
      return !seen.has(words);
    });
    expect([...new Set(unrun.map(({ command, page }) => `${command} (${page})`))]).toEqual([]);
  });

  it('were run with each flag that the runbooks use', () => {
    const unrun = commands.flatMap(({ command }) => {
      const [words = ''] = verbAt(command) ?? [];
      return flagsOf(command)
        .filter((flag) => seen.has(words) && !seen.get(words)?.has(flag))
        .map((flag) => `${words} ${flag}`);
    });
    expect([...new Set(unrun)].sort()).toEqual([]);
  });
});

/** The description of a service in botocore: its operations, with the members of their inputs. */
type Model = {
  operations: Record<string, { input?: { shape: string } }>;
  shapes: Record<string, { members?: Record<string, unknown> }>;
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

/** @returns the errors in a command of the AWS CLI */
function problemOf(command: string): string | undefined {
  const [, service = '', operation = '', ...words] = wordsOf(command);
  const model = modelOf(service);
  if (!model) return `there is no service ${service}`;
  const known = Object.entries(model.operations).find(([name]) => plain(name) === plain(operation));
  if (!known) return `${service} has no operation ${operation}`;
  const members = Object.keys(model.shapes[known[1].input?.shape ?? '']?.members ?? {}).map(plain);
  const unknown = words
    .filter((word) => word.startsWith('--'))
    .map((word) => word.slice(2).replace(/=.*/s, ''))
    .find((flag) => !members.includes(plain(flag)) && !ofCli.includes(flag));
  return unknown && `${service} ${operation} has no --${unknown}`;
}

describe('the commands of the AWS CLI in the documents', () => {
  const commands = filesBelow('docs', '.md').flatMap((page) => {
    const text = read(page).replaceAll('\\\n', ' ');
    const inline = [...text.matchAll(/`(aws [a-z0-9-]+ [a-z-]+[^`]*)`/g)];
    const blocks = [...text.matchAll(/^(aws [a-z0-9-]+ [a-z-]+[^\n|]*)/gm)];
    return [...inline, ...blocks].map(([, command = '']) => command.replace(/\s+/g, ' ').trim());
  });

  it('are operations of AWS, with members of their requests', () => {
    expect(commands.length).toBeGreaterThan(8);
    expect(commands.flatMap((command) => problemOf(command) ?? [])).toEqual([]);
  });

  it('are refused if the operation or a flag does not exist, which proves that this test can fail', () => {
    expect(problemOf('aws kms replicate-keys')).toBe('kms has no operation replicate-keys');
    expect(problemOf('aws kms replicate-key --region us-east-1 --key ID')).toBe('kms replicate-key has no --key');
    expect(problemOf('aws keys list')).toBe('there is no service keys');
  });
});
