import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { defaultClient } from '../../../local/simulators/zoho-accounts/model.ts';
import { filesBelow, read } from '../../infra/support/sources.ts';
import { cliFed, done } from '../../support/admin/cli.ts';
import { commandsOf, verbAt, wordsOf } from '../../support/admin/documented-commands.ts';
import { aFinishedCall } from '../../support/calls/finished-call.ts';
import { anOrg } from '../../support/organizations/orgs.ts';
import { environment, named, secrets } from '../../support/stack/stack.ts';

/** Flags that a sentence may omit, with the names of their values. */
const ORG = { '--org': 'ORG_ID' };
const CONNECTION = { '--connection': 'CONNECTION_ID' };
/** Verbs that work on any organization and stage. The tests of the other verbs create the states that they need. */
const verbs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'assistant show': { '--assistant': 'ASSISTANT_ID' },
  'audit list': ORG,
  'call list': ORG,
  'call show': { '--call': 'CALL_ID' },
  'connection activity': CONNECTION,
  'connection authorize-url': { ...CONNECTION, '--data-center': 'DATA_CENTER' },
  'connection list': ORG,
  'connection retry': { ...CONNECTION, '--since': 'INSTANT' },
  'connection show': CONNECTION,
  'connection update': CONNECTION,
  'dnc list': ORG,
  'key create': { ...ORG, '--name': 'NAME' },
  'key list': ORG,
  'org callback-secret': ORG,
  'org credit': { ...ORG, '--amount': 'CREDITS' },
  'org ledger': ORG,
  'org show': ORG,
  'org update': ORG,
  'queue list': {},
  'queue redrive': {},
  'schedule run': {},
  'secret list': {},
  'secret set': {},
  'user list': ORG,
};
const verbOf = (command: string) => verbAt(command)?.[0] ?? '';

/** Returns whether no stage accepts the command as written: it lacks a value, or is for another type of connection. */
const isIncomplete = (command: string) =>
  ['schedule run', 'secret set'].includes(command) || / --settings$|"orgId"/.test(command);

const runbooks = filesBelow('docs/runbooks', '.md');
const commands = [...new Set(runbooks.flatMap(commandsOf).map(({ command }) => command))]
  .filter((command) => Object.hasOwn(verbs, verbOf(command)) && !isIncomplete(command))
  .sort();

/** Requests with the status that a runbook expects. */
const requests = runbooks.flatMap((page) =>
  [...read(page).matchAll(/`(curl [^`]+)`[^`|]*? answers\s+(\d+)/g)].map(([, curl = '', status = '']) => ({
    curl,
    status,
  })),
);

/** The values of the placeholders. A value for one verb takes precedence over a general one. */
let values: Readonly<Record<string, string>>;
let webhooks: Readonly<Record<'crmA' | 'crmB', string>>;
beforeAll(async () => {
  const org = await anOrg();
  const call = await aFinishedCall(org);
  const { connection_id, webhook_url } = await done('connection', 'create', '--org', org.orgId, '--type', 'crm-b');
  const { webhook_url: crmA } = await done('connection', 'create', '--org', org.orgId, '--type', 'crm-a');
  webhooks = { crmA, crmB: webhook_url };
  values = {
    ...{ ORG_ID: org.orgId, ASSISTANT_ID: org.assistantId, CALL_ID: call.call_id, CONNECTION_ID: connection_id },
    ...{ CREDITS: '5', '-AMOUNT': '-5', COUNTRIES: 'IN,SG', DATA_CENTER: 'in', INSTANT: '2026-01-01T10:00:00+05:30' },
    ...{ INVOICE: 'INV-1', OWNER_ID: 'owner-1', NAME: 'backend' },
    ...{ 'queue redrive NAME': 'slots', 'schedule run NAME': 'recover-calls' },
    ...{ 'assistant show ID': org.assistantId, 'connection update --assistant ID': org.assistantId },
    ...{ 'connection update --owner ID': 'owner-1', 'org update --voice-number-id ID': 'number-1' },
  };
});

/** The command with the values of its placeholders and the flags that it omits. */
function completed(command: string): string[] {
  const verb = verbOf(command);
  const written = wordsOf(command);
  const omitted = Object.entries(verbs[verb] ?? {}).filter(([flag]) => !written.includes(flag));
  return [...written, ...omitted.flat()].map((word, index, words) => {
    const ofVerb = [`${verb} ${words[index - 1]} ${word}`, `${verb} ${word}`].find((name) => values[name]);
    return values[ofVerb ?? word] ?? word;
  });
}

/** Reads the stage's present value, because setting it again does not affect other tests. */
async function presentSecret(words: readonly string[]): Promise<string> {
  if (words.includes('--data-center'))
    return JSON.stringify({ client_id: defaultClient.id, client_secret: defaultClient.secret });
  const name = words[words.indexOf('--name') + 1] ?? '';
  return (await secrets.send(new GetSecretValueCommand({ SecretId: named.secret(name) }))).SecretString ?? '';
}

describe('the commands of the runbooks', () => {
  it('are more than 45', () => {
    expect(commands.length).toBeGreaterThan(45);
  });

  it.each(commands)('succeed with the values of their placeholders: %s', async (command) => {
    const words = completed(command);
    expect(words.filter((word) => /^-?[A-Z_]+$/.test(word))).toEqual([]);
    const input = verbOf(command) === 'secret set' ? await presentSecret(words) : '';
    const { code, stderr } = await cliFed(input, ...words);
    expect([code, stderr]).toEqual([0, '']);
  });
});

const hasCurl = spawnSync('curl', ['--version']).status === 0;
if (!hasCurl && process.env.CI) throw new Error('There is no curl.');
if (!hasCurl) console.warn('Skipped: the requests of the runbooks need curl.');

(hasCurl ? describe : describe.skip)('the requests of the runbooks', () => {
  it('are more than two', () => {
    expect(requests.length).toBeGreaterThan(2);
  });

  it.each(requests)('get the expected answer: $curl answers $status', async ({ curl, status }) => {
    const [program = '', ...words] = wordsOf(curl).map((word) =>
      word
        .replace('https://NEW', environment.base_url)
        // Only CRM-A sends GET.
        .replace('WEBHOOK_URL', curl.includes('-X POST') ? webhooks.crmB : webhooks.crmA),
    );
    const { stdout } = await promisify(execFile)(program, words);
    expect(stdout).toBe(`${status}\n`);
  });
});
