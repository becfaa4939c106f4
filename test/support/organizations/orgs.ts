import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { newAssistantId, newKeyId, newToken } from '../../../shared/domain/ids.ts';
import { hashApiKey, newApiKey } from '../../../shared/domain/organizations/api-key.ts';
import type { Assistant } from '../../../shared/domain/organizations/assistants/assistant.ts';
import { toUnits } from '../../../shared/domain/organizations/credit.ts';
import type { Organization } from '../../../shared/domain/organizations/organization.ts';
import { defaultPermissions, type Permission } from '../../../shared/domain/organizations/permission.ts';
import { newestCreditEntries } from '../../../shared/operations/calls/list-credit-entries.ts';
import { createOrg } from '../../../shared/operations/organizations/create-org.ts';
import { callbackStore } from '../../../shared/stores/after-call/callbacks.ts';
import { callStore } from '../../../shared/stores/calls/calls.ts';
import { claimStore } from '../../../shared/stores/calls/claims.ts';
import { callFiles } from '../../../shared/stores/calls/files/call-files.ts';
import { orgScope, slotStore } from '../../../shared/stores/calls/slots/slots.ts';
import { usageStore } from '../../../shared/stores/calls/usage.ts';
import { activityStore } from '../../../shared/stores/connections/activity.ts';
import { connectionStore } from '../../../shared/stores/connections/connections.ts';
import { type Transact, transactions } from '../../../shared/stores/dynamodb/transaction.ts';
import { apiKeyStore } from '../../../shared/stores/organizations/api-keys.ts';
import { assistantStore } from '../../../shared/stores/organizations/assistants.ts';
import { auditStore } from '../../../shared/stores/organizations/audit.ts';
import { creditLedger } from '../../../shared/stores/organizations/credit-ledger.ts';
import { doNotCallStore } from '../../../shared/stores/organizations/do-not-call.ts';
import { keyCounterStore } from '../../../shared/stores/organizations/key-counters.ts';
import { memberStore } from '../../../shared/stores/organizations/members.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { callbackSecretContext, seal } from '../../../shared/stores/sealing.ts';
import { permanentKey } from '../../../shared/stores/secrets.ts';
import { db, eventually, filesBucket, kms, named, now, s3, secrets } from '../stack/stack.ts';

/** The stores of the running stack, with full rights, for preparing and checking data. */
export const stores = {
  files: callFiles(s3, await filesBucket()),
  members: memberStore(db, named.table('members')),
  audit: auditStore(db, named.table('audit')),
  apiKeys: apiKeyStore(db, named.table('api-keys')),
  keyCounters: keyCounterStore(db, named.table('rate-limits')),
  assistants: assistantStore(db, named.table('assistants')),
  calls: callStore(db, named.table('calls')),
  callbacks: callbackStore(db, named.table('callbacks')),
  ledger: creditLedger(db, named.table('credit-ledger')),
  organizations: organizationStore(db, named.table('organizations')),
  slots: slotStore(db, named.table('slots')),
  usage: usageStore(db, named.table('usage')),
  connections: connectionStore(db, named.table('connections')),
  activity: activityStore(db, named.table('activity')),
  claims: claimStore(db, named.table('claims')),
  doNotCall: doNotCallStore(db, named.table('do-not-call'), permanentKey(secrets, named.secret('do-not-call-key'))),
  transact: transactions(db),
};

/** Reads the organization's counter of live calls. */
export async function liveCallsOf({ orgId }: { orgId: string }): Promise<number> {
  const Key = { scope: orgScope(orgId) };
  const { Item } = await db.send(new GetCommand({ TableName: named.table('slots'), Key, ConsistentRead: true }));
  return Number(Item?.live ?? 0);
}

/** Waits until the call exists and satisfies `isDone`. */
export async function untilCall(callId: string, isDone: (call: Call) => boolean): Promise<Call> {
  const call = await eventually(
    () => stores.calls.get(callId),
    (found) => found !== undefined && isDone(found),
  );
  return call as Call;
}

/** The operator in audit entries. */
export const OPERATOR = { kind: 'operator', name: 'test' } as const;

/** The dependencies of the operators' operations. */
export const operating = { ...stores, now, newToken };

export type TestOrg = { orgId: string; apiKey: string; keyId: string; assistantId: string };

/** Changes an organization directly and without an audit entry, as only a test may. */
export async function changeOrg(orgId: string, { callback_secrets, ...set }: Partial<Organization>): Promise<void> {
  const org = await stores.organizations.get(orgId);
  if (!org) throw new Error(`the organization ${orgId} does not exist`);
  const { updating, replacingSecrets } = stores.organizations;
  const write = callback_secrets ? replacingSecrets(org, callback_secrets) : updating(org, set);
  await stores.transact({ write });
}

/** Creates an organization, so that tests do not share calls or credit. */
export async function anOrg(
  settings: {
    credits?: number;
    rate?: number;
    permissions?: Permission[];
    assistant?: Partial<Assistant>;
    limits?: {
      requests_per_minute?: number;
      outbound_per_minute?: number;
      max_live_calls?: number;
      max_wait_minutes?: number;
    };
  } = {},
): Promise<TestOrg> {
  const org = await createOrg(
    {
      ...stores,
      seal: (orgId, secret) => seal(kms, named.keyAlias('callback-secrets'), secret, callbackSecretContext(orgId)),
      // Without an audit entry, because tests count the entries of their own acts.
      transact: ({ audit: _, ...writes }: Parameters<Transact>[0]) => stores.transact(writes),
      now,
      newToken,
    },
    OPERATOR,
    {
      name: 'Test org',
      credit: toUnits(settings.credits ?? 1_000),
      rate: toUnits(settings.rate ?? 1),
      default_region: 'IN',
      countries: [],
      platform_numbers: [],
    },
  );
  // Tests place many calls in a minute.
  await changeOrg(org.org_id, {
    requests_per_minute: 100_000,
    outbound_per_minute: 100_000,
    ...settings.limits,
  });
  const key = await aKey(org.org_id, settings.permissions);
  const assistant: Assistant = {
    assistant_id: newAssistantId(),
    org_id: org.org_id,
    name: 'Asha',
    prompt: 'You are Asha.',
    first_message: 'Namaste.',
    max_duration_seconds: 600,
    knowledge_base: [],
    created_at: now().toISOString(),
    ...settings.assistant,
  };
  await stores.transact({ assistant: stores.assistants.adding(assistant) });
  return { orgId: org.org_id, ...key, assistantId: assistant.assistant_id };
}

/** Creates an API key of an organization. The limits per key apply to each key separately. */
export async function aKey(orgId: string, permissions: Permission[] = defaultPermissions) {
  const apiKey = newApiKey(orgId);
  const key = {
    key_hash: hashApiKey(apiKey),
    key_id: newKeyId(),
    org_id: orgId,
    name: 'test',
    permissions,
    created_at: now().toISOString(),
  };
  // Without an audit entry, because tests count the entries of their own acts.
  await stores.transact({
    key: stores.apiKeys.adding(key),
    counters: stores.keyCounters.beginning(key.key_hash),
  });
  return { apiKey, keyId: key.key_id };
}

/** Changes an assistant directly: without the service's checks, a new revision or an audit entry. */
export async function changeAssistant(assistantId: string, set: Partial<Assistant>): Promise<void> {
  const assistant = await stores.assistants.get(assistantId);
  if (!assistant) throw new Error(`no assistant ${assistantId}`);
  await stores.transact({ assistant: stores.assistants.changing(assistant, set, []) });
}

/** Reads the organization's stored credit and the sums of its ledger, in units. */
export async function booksOf(orgId: string) {
  const entries = await newestCreditEntries({ ...stores, now }, orgId, 10_000);
  const org = await stores.organizations.get(orgId);
  if (!org) throw new Error(`no org ${orgId}`);
  const sum = (column: 'amount' | 'held') => entries.reduce((total, entry) => total + entry[column], 0);
  return {
    available: org.available,
    held: org.held,
    balance: org.available + org.held,
    ledgerBalance: sum('amount'),
    ledgerHeld: sum('held'),
    entries,
  };
}

/** Fails unless the organization's credit equals the sums of its ledger to the last unit. */
export async function expectBalancedBooks(orgId: string): Promise<Awaited<ReturnType<typeof booksOf>>> {
  const books = await booksOf(orgId);
  expect({ balance: books.ledgerBalance, held: books.ledgerHeld }).toEqual({
    balance: books.balance,
    held: books.held,
  });
  expect(books.available).toBeGreaterThanOrEqual(0);
  return books;
}
