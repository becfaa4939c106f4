import type { Command } from 'commander';
import { mayBeId } from '../../shared/domain/ids.ts';
import { HINT_CHARACTERS, newCallbackSecret } from '../../shared/domain/organizations/callback-secret.ts';
import { toCredits, toUnits } from '../../shared/domain/organizations/credit.ts';
import type { LedgerEntry } from '../../shared/domain/organizations/ledger-entry.ts';
import {
  DEFAULT_RATE_CREDITS,
  DEFAULT_REGION,
  type Organization,
} from '../../shared/domain/organizations/organization.ts';
import { defaultRateLimits } from '../../shared/domain/organizations/rate-limit.ts';
import { secondsAfter } from '../../shared/domain/time/instants.ts';
import { addCredit } from '../../shared/operations/organizations/add-credit.ts';
import { createOrg } from '../../shared/operations/organizations/create-org.ts';
import type { Cloud } from './cloud.ts';
import { type Answer, acting, needsSome, verb } from './command.ts';
import { Refusal } from './failures.ts';
import { facts, table } from './output.ts';
import { credits, invalid, NONE, phoneNumbers, text, wholeNumber } from './values.ts';

const MOST_ENTRIES = 10_000;
const ENTRIES_FOR_PEOPLE = 50;
const FORMER_SECRET_SECONDS = 24 * 60 * 60;

type OfOrg = { org: string };
type Settings = { name?: string; credits?: string; rate?: string; platformNumbers?: string; region?: string };
type Limits = {
  requestsPerMinute?: string;
  outboundPerMinute?: string;
  voiceNumberId?: string;
  maxLiveCalls?: string;
  maxWaitMinutes?: string;
};

/** Orgs: who may call, and with which credit. */
export function addOrg(program: Command): void {
  const noun = program.command('org').description('orgs and their credit');

  withSettings(verb(noun, 'create', 'a new org', { ownRegion: true }), { required: true }).action(
    acting<Settings & { name: string; credits: string }>(create, { ownRegion: true }),
  );
  ofOrg(verb(noun, 'show', 'an org and its credit')).action(
    acting<OfOrg>(async (cloud, { org }) => show(await findOrg(cloud, org))),
  );
  withSettings(ofOrg(verb(noun, 'update', "changes an org's settings", { ownRegion: true })), { required: false })
    .option('--requests-per-minute <n>', `requests of a key in a minute ("${NONE}": the default)`)
    .option('--outbound-per-minute <n>', `calls placed by a key in a minute ("${NONE}": the default)`)
    .option('--voice-number-id <id>', `the platform's id of the number that calls ("${NONE}": the account's)`)
    .option('--max-live-calls <n>', `live calls at once ("${NONE}": only the stage's limit)`)
    .option('--max-wait-minutes <n>', `how long a call may wait for its dial ("${NONE}": the default)`)
    .action(acting<OfOrg & Settings & Limits>(update, { ownRegion: true }));
  ofOrg(verb(noun, 'suspend', 'dials no call of the org from now on; calls wait')).action(acting<OfOrg>(suspend));
  ofOrg(verb(noun, 'resume', 'dials the calls of the org again')).action(acting<OfOrg>(resume));
  ofOrg(verb(noun, 'credit', 'adds credit, or takes it back'))
    .requiredOption('--amount <credits>', 'credits to add; negative takes back what is available')
    .option('--reason <text>', 'stands in the ledger')
    .action(acting<OfOrg & { amount: string; reason?: string }>(credit));
  ofOrg(verb(noun, 'ledger', 'every movement of credit, newest first'))
    .option('--limit <n>', `entries, up to ${MOST_ENTRIES} (default: all of them, ${ENTRIES_FOR_PEOPLE} in a table)`)
    .action(acting<OfOrg & { limit?: string; json?: boolean }>(ledger));
  ofOrg(verb(noun, 'callback-secret', "the secret that signs the org's callbacks"))
    .option('--rotate', 'makes a new one; the old one signs along for 24 hours')
    .action(acting<OfOrg & { rotate?: boolean }>(callbackSecret));
}

const ofOrg = (command: Command): Command => command.requiredOption('--org <id>', 'the org');

function withSettings(command: Command, { required }: { required: boolean }): Command {
  const option = required ? command.requiredOption.bind(command) : command.option.bind(command);
  option('--name <text>', 'its name');
  option('--credits <n>', required ? 'its credit' : 'brings the balance to this, by an entry in the ledger');
  return command
    .option('--rate <n>', `credits per started minute${required ? ` (default: ${DEFAULT_RATE_CREDITS})` : ''}`)
    .option('--platform-numbers <list>', "E.164, comma-separated: the org's own numbers")
    .option(
      '--region <country>',
      `two-letter country of national numbers${required ? ` (default: ${DEFAULT_REGION})` : ''}`,
    );
}

/** @throws Refusal org_not_found. */
export async function findOrg(cloud: Cloud, orgId: string): Promise<Organization> {
  const org = mayBeId(orgId) ? await cloud.organizations.get(orgId) : undefined;
  if (!org) throw orgNotFound(orgId);
  return org;
}

const orgNotFound = (orgId: string) => new Refusal('org_not_found', `There is no org ${orgId}.`);

function view(org: Organization) {
  return {
    org_id: org.org_id,
    name: org.name,
    balance: toCredits(org.available + org.held),
    held: toCredits(org.held),
    available: toCredits(org.available),
    rate: toCredits(org.rate),
    platform_numbers: org.platform_numbers,
    default_region: org.default_region,
    rate_limits: {
      requests_per_minute: org.requests_per_minute ?? defaultRateLimits.requests_per_minute,
      outbound_per_minute: org.outbound_per_minute ?? defaultRateLimits.outbound_per_minute,
    },
    voice_number_id: org.voice_number_id ?? null,
    callback_secret_hint: org.callback_secrets[0]?.hint ?? null,
    suspended: org.suspended_at !== undefined,
    max_live_calls: org.max_live_calls ?? null,
    max_wait_minutes: org.max_wait_minutes ?? null,
  };
}

function show(org: Organization, sentence?: string): Answer {
  const json = view(org);
  const { requests_per_minute, outbound_per_minute } = json.rate_limits;
  const people = facts({
    ...json,
    rate: `${json.rate} per started minute`,
    rate_limits: `${requests_per_minute} requests, ${outbound_per_minute} calls a minute`,
    callback_secret_hint: `…${json.callback_secret_hint}`,
  });
  return { json, people: sentence ? `${sentence}\n\n${people}` : people };
}

/** @returns the settings that the flags name. */
function readSettings({ name, rate, platformNumbers, region }: Settings) {
  if (region !== undefined && !/^[A-Z]{2}$/.test(region))
    throw invalid(`--region must be the two capital letters of a country, such as IN, not "${region}".`);
  return {
    ...(name !== undefined && { name: text('--name', name) }),
    ...(rate !== undefined && { rate: credits('--rate', rate) }),
    ...(platformNumbers !== undefined && { platform_numbers: phoneNumbers('--platform-numbers', platformNumbers) }),
    ...(region !== undefined && { default_region: region }),
  };
}

async function create(cloud: Cloud, flags: Settings & { name: string; credits: string }): Promise<Answer> {
  const org = await createOrg(cloud, {
    name: text('--name', flags.name),
    credit: credits('--credits', flags.credits),
    rate: toUnits(DEFAULT_RATE_CREDITS),
    default_region: DEFAULT_REGION,
    platform_numbers: [],
    ...readSettings(flags),
  });
  return show(org, 'The org is created. Its first API key: admin key create --org … --name …');
}

const MOST_A_MINUTE = 1_000_000;
const MOST_LIVE_CALLS = 10_000;
const MOST_WAIT_MINUTES = 24 * 60;

/** @returns a number for the store, or undefined where the flag was not given or takes the setting away. */
const limit = (flag: string, value: string | undefined, most: number): number | undefined =>
  value === undefined || value === NONE ? undefined : wholeNumber(flag, value, { least: 1, most });

async function update(cloud: Cloud, { org: orgId, ...flags }: OfOrg & Settings & Limits): Promise<Answer> {
  const { name, credits: balance, rate, platformNumbers, region, ...rest } = flags;
  const { requestsPerMinute, outboundPerMinute, voiceNumberId, maxLiveCalls, maxWaitMinutes } = rest;
  const limits = { requestsPerMinute, outboundPerMinute, voiceNumberId, maxLiveCalls, maxWaitMinutes };
  const settings = { name, rate, platformNumbers, region };
  needsSome({ ...settings, ...limits, balance }, '--name, --rate, --max-live-calls, … (see --help)');

  const attributes = {
    requests_per_minute: limit('--requests-per-minute', requestsPerMinute, MOST_A_MINUTE),
    outbound_per_minute: limit('--outbound-per-minute', outboundPerMinute, MOST_A_MINUTE),
    voice_number_id:
      voiceNumberId === undefined || voiceNumberId === NONE ? undefined : text('--voice-number-id', voiceNumberId),
    max_live_calls: limit('--max-live-calls', maxLiveCalls, MOST_LIVE_CALLS),
    max_wait_minutes: limit('--max-wait-minutes', maxWaitMinutes, MOST_WAIT_MINUTES),
  };
  const set = { ...readSettings(settings), ...attributes };
  const taken = { requests_per_minute: requestsPerMinute, outbound_per_minute: outboundPerMinute };
  const remove = Object.entries({
    ...taken,
    voice_number_id: voiceNumberId,
    max_live_calls: maxLiveCalls,
    max_wait_minutes: maxWaitMinutes,
  }).flatMap(([attribute, value]) => (value === NONE ? [attribute as keyof typeof attributes] : []));
  const wanted = balance === undefined ? undefined : credits('--credits', balance);

  const org = await findOrg(cloud, orgId);
  if (wanted !== undefined) await bringBalanceTo(cloud, org, wanted);
  const changesSettings = remove.length > 0 || Object.values(set).some((value) => value !== undefined);
  if (changesSettings && !(await cloud.organizations.update(orgId, set, remove))) throw orgNotFound(orgId);
  return show(await findOrg(cloud, orgId), 'The org is changed.');
}

/** What a call costs meanwhile comes off the new balance: credit only ever moves by differences. */
async function bringBalanceTo(cloud: Cloud, org: Organization, balance: number): Promise<void> {
  const amount = balance - org.available - org.held;
  if (amount !== 0) await move(cloud, { org_id: org.org_id, amount, reason: 'balance set by operator' });
}

async function move(cloud: Cloud, addition: { org_id: string; amount: number; reason?: string }): Promise<void> {
  const result = await addCredit(cloud, addition);
  if (result.kind === 'org_not_found') throw orgNotFound(addition.org_id);
  if (result.kind === 'insufficient_credits') {
    const available = toCredits(result.available);
    throw new Refusal('insufficient_credits', `Only ${available} credits are available; calls may hold the rest.`, {
      available,
    });
  }
}

async function credit(
  cloud: Cloud,
  { org, amount, reason }: OfOrg & { amount: string; reason?: string },
): Promise<Answer> {
  const units = credits('--amount', amount, { mayBeNegative: true });
  if (units === 0) throw invalid('--amount must not be 0.');
  await findOrg(cloud, org);
  await move(cloud, { org_id: org, amount: units, ...(reason !== undefined && { reason: text('--reason', reason) }) });
  return show(await findOrg(cloud, org), units > 0 ? 'The credit is added.' : 'The credit is taken back.');
}

async function suspend(cloud: Cloud, { org: orgId }: OfOrg): Promise<Answer> {
  const org = await findOrg(cloud, orgId);
  if (!org.suspended_at && !(await cloud.organizations.update(orgId, { suspended_at: cloud.now().toISOString() })))
    throw orgNotFound(orgId);
  return show(await findOrg(cloud, orgId), 'The org is suspended: none of its calls is dialed until org resume.');
}

async function resume(cloud: Cloud, { org: orgId }: OfOrg): Promise<Answer> {
  await findOrg(cloud, orgId);
  if (!(await cloud.organizations.update(orgId, {}, ['suspended_at']))) throw orgNotFound(orgId);
  await cloud.handOverSlots();
  return show(await findOrg(cloud, orgId), 'The org is resumed: its waiting calls are dialed as slots are free.');
}

const viewEntry = (entry: LedgerEntry) => ({
  entry: entry.entry,
  kind: entry.kind,
  amount: toCredits(entry.amount),
  held: toCredits(entry.held),
  call_id: entry.call_id ?? null,
  reason: entry.reason ?? null,
  at: entry.at,
});

async function ledger(cloud: Cloud, flags: OfOrg & { limit?: string; json?: boolean }): Promise<Answer> {
  const most = flags.json ? MOST_ENTRIES : ENTRIES_FOR_PEOPLE;
  const wanted =
    flags.limit === undefined ? most : wholeNumber('--limit', flags.limit, { least: 1, most: MOST_ENTRIES });
  await findOrg(cloud, flags.org);
  const entries = (await cloud.ledger.list(flags.org, wanted)).map(viewEntry);
  const rows = entries.map(({ at, kind, amount, held, call_id, reason }) => [
    at,
    kind,
    amount,
    held,
    call_id ?? reason,
  ]);
  return {
    json: { entries },
    people: table(['at', 'kind', 'amount', 'held', 'call or reason'], rows, 'No credit has moved yet.'),
  };
}

/** Shows the current secret, or replaces it. What signed until now signs along for a day, so that receivers can follow. */
async function callbackSecret(cloud: Cloud, { org: orgId, rotate }: OfOrg & { rotate?: boolean }): Promise<Answer> {
  const org = await findOrg(cloud, orgId);
  const [current, ...former] = org.callback_secrets;
  if (!rotate) {
    if (!current)
      throw new Refusal('no_callback_secret', 'The org has no callback secret yet: make one with --rotate.');
    const secret = await cloud.unseal(orgId, current.ciphertext);
    return { json: { secret }, people: `The callback secret of ${orgId}:\n\n  ${secret}` };
  }
  const now = cloud.now().toISOString();
  const until = secondsAfter(now, FORMER_SECRET_SECONDS);
  const secret = newCallbackSecret();
  const callback_secrets = [
    { ciphertext: await cloud.seal(orgId, secret), hint: secret.slice(-HINT_CHARACTERS) },
    ...(current ? [{ ...current, until }] : []),
    ...former.filter((one) => one.until !== undefined && one.until > now),
  ];
  if (!(await cloud.organizations.update(orgId, { callback_secrets }, [], org)))
    throw new Refusal(
      'changed_meanwhile',
      'Somebody else is replacing the secret at this moment: look, then try again.',
    );
  return {
    json: { secret },
    people: `The new callback secret of ${orgId}; the old one signs along until ${until}:\n\n  ${secret}`,
  };
}
