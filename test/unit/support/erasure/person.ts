import type { RecordRemoval } from '../../../../shared/domain/after-call/erasure/erased-record.ts';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { claimFor, expiringClaimFor } from '../../../../shared/domain/calls/dialing/claim.ts';
import { sundayClaimKey } from '../../../../shared/domain/calls/dialing/sunday-claim.ts';
import { type RemoteRecord, remoteRecordsOf } from '../../../../shared/domain/calls/retention/erased-call.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { phoneHash } from '../../../../shared/domain/connections/phone-hash.ts';
import { connectionIdFor } from '../../../../shared/domain/ids.ts';
import { aCall, aCalledLead, aResult } from '../call.ts';
import type { Contents } from '../worlds/database.ts';
import { aConnection, aGrant, anAssistant, anOrg, ORG } from '../worlds/items.ts';
import { aWorld } from '../worlds/world.ts';

/** Texts that no search may find after an erasure. */
export const canaries = [
  '+919876543210',
  '9876543210',
  'Asha Iyer',
  'a flat by the lake',
  'asha@example.com',
  'lead-77',
];
export const [PHONE] = canaries as [string];
export const LEAD = 'lead-77';
export const PERSON_KEY = 'k'.repeat(64);

const YESTERDAY = '2026-03-01';
const ENDED_AT = `${YESTERDAY}T06:02:30.000Z`;
export const idOf = (number: number): string => `call_${String(number).padStart(32, '0')}`;

/** An ended and finished call of the person, from a lead of CRM-B. */
export const aCallOfPerson = (number = 1, over: Partial<Call> = {}): Call =>
  aCall({
    call_id: idOf(number),
    phone_number: PHONE,
    status: 'completed',
    created_at: `${YESTERDAY}T06:0${number % 10}:00.000Z`,
    dial_after: `${YESTERDAY}T06:00:00.000Z`,
    started_at: `${YESTERDAY}T06:01:30.000Z`,
    ended_at: ENDED_AT,
    finished_at: ENDED_AT,
    duration: 60,
    held: 0,
    cost: 1000,
    unfinished: undefined,
    platform_id: `platform-${number}`,
    former_platform_ids: new Set([`former-${number}`]),
    second_platform_ids: new Set([`second-${number}`]),
    request_metadata: { email: 'asha@example.com' },
    claims_day: YESTERDAY,
    lead: aCalledLead({ lead_id: LEAD, event_id: `evt_${number}`, fields: { Last_Name: 'Asha Iyer' } }),
    transcript_key: `transcripts/${ORG}/${idOf(number)}.txt`,
    recording: { state: 'stored', key: `recordings/${ORG}/${idOf(number)}.wav` },
    analysis: { state: 'done', result: aResult({ summary: 'Asha Iyer wants a flat by the lake.' }) },
    note: { state: 'written', at: ENDED_AT, id: 'note-1' },
    ...over,
  });

const written = (id: string) => ({ state: 'written' as const, at: ENDED_AT, id });

/** A consented connection, which by default lets an erasure remove the service's records. */
export const connectionTo = (type: Connection['type'], over: Partial<Connection> = {}): Connection =>
  aConnection({
    ...{ connection_id: connectionIdFor(ORG, type), type, grant: aGrant(), settings: { erase_records: true } },
    ...over,
  });

/** The marks of all records in CRM-B and the help desk. */
export const recordsOfCall = (number: number): Partial<Call> => ({
  call_log: written(`log-${number}`),
  note: written(`note-${number}`),
  ticket_contact: written('contact'),
  ticket: written(`ticket-${number}`),
  ticket_organization: '60001',
});

/** All data that the service has of a person: in tables, bucket and at the voice platform. */
export function aPersonsWorld(calls: readonly Call[] = [aCallOfPerson()], over: Contents = {}) {
  const world = aWorld({
    organizations: [anOrg({ held: 10_000 })],
    assistants: [anAssistant()],
    connections: [aConnection({ assistant_id: 'asst_1' })],
    ...over,
  });
  const files = new Map<string, string>();
  const atPlatform = new Set<string>();
  const failures: string[] = [];
  const remote = new Set<string>();
  const removals: RecordRemoval[] = [];
  const asked: string[] = [];
  for (const call of calls) {
    world.putCall(call);
    const { call_id, org_id, lead, phone_number, platform_id } = call;
    if (call.status === 'completed') {
      files.set(`transcripts/${org_id}/${call_id}.txt`, 'Asha Iyer: a flat by the lake');
      files.set(`transcripts/${org_id}/${call_id}.json`, '[{"text":"a flat by the lake"}]');
      files.set(`recordings/${org_id}/${call_id}.wav`, 'RIFF');
      files.set(`reported-transcripts/${call_id}.txt`, 'a flat by the lake');
    }
    for (const { record, id } of remoteRecordsOf(call)) remote.add(`${record} ${id}`);
    const { former_platform_ids: former = [], second_platform_ids: second = [] } = call;
    for (const id of [platform_id, ...former, ...second]) if (id) atPlatform.add(id);
    world.put('callbacks', {
      ...{ call_id, webhook_id: `${call_id}_call_completed`, org_id, type: 'call.completed', url: 'https://c.example' },
      ...{ body: JSON.stringify({ phone_number }), created_at: ENDED_AT, attempts: [], state: 'delivered' },
      expires_at: 4_000_000_000,
    });
    world.put('credit-ledger', {
      ...{ org_id, entry: `${ENDED_AT}#${call_id}#settlement#1`, kind: 'settlement', amount: -1000, held: 0 },
      ...{ call_id, at: ENDED_AT },
    });
    if (!lead) continue;
    const entry = {
      ...{ connection_id: lead.connection_id, org_id, at: ENDED_AT, source: 'webhook', event: 'new_lead', test: false },
      ...{ lead_id: lead.lead_id, phone_masked: '+91******3210', phone_hash: phoneHash(org_id, phone_number) },
      ...{ outcome: 'call queued', reason: 'Queued for Asha Iyer.', call_id, payload_keys: ['Last_Name'] },
      expires_at: 4_000_000_000,
    };
    world.put('activity', { ...entry, event_id: lead.event_id });
    world.put('activity', {
      ...{ ...entry, event_id: `${lead.event_id}.retry1`, outcome: 'expired' },
      retryable: JSON.stringify({ lead: { phones: [phone_number] } }),
    });
    const owner = { ownerId: lead.event_id, callId: call_id, now: new Date(ENDED_AT) };
    const claims = [
      claimFor(`lead#${lead.connection_id}#${lead.lead_id}#${call.claims_day}`, owner),
      claimFor(`phone#${org_id}#${phone_number}#${call.claims_day}`, owner),
      claimFor(`ticket-contact#${connectionIdFor(org_id, 'help-desk')}#${phone_number}`, {
        ...owner,
        ownerId: call_id,
      }),
      expiringClaimFor(sundayClaimKey(lead.connection_id, lead.lead_id), owner, owner.now),
    ];
    for (const claim of claims) world.put('claims', claim);
  }
  const prefixOf = (call: Pick<Call, 'call_id' | 'org_id'>, key: string) =>
    [`transcripts/${call.org_id}/`, `recordings/${call.org_id}/`, 'reported-transcripts/'].some((folder) =>
      key.startsWith(`${folder}${call.call_id}.`),
    );
  const slept: number[] = [];
  const deps = {
    ...world.common,
    personKey: PERSON_KEY,
    fileErasures: world.outside({
      count: async (call: Call) => [...files.keys()].filter((key) => prefixOf(call, key)).length,
      remove: async (call: Call) => {
        for (const key of [...files.keys()]) if (prefixOf(call, key)) files.delete(key);
      },
    }),
    voice: world.outside({
      erase: async (platformId: string) => {
        const reason = failures.shift();
        if (reason) return { kind: 'left' as const, reason };
        return { kind: atPlatform.delete(platformId) ? ('erased' as const) : ('absent' as const) };
      },
    }),
    remover: async () =>
      world.outside({
        remove: async ({ record, id }: RemoteRecord): Promise<RecordRemoval> => {
          asked.push(`${record} ${id}`);
          const answer = removals.shift();
          if (answer) return answer;
          return remote.delete(`${record} ${id}`) ? { kind: 'removed' } : { kind: 'absent' };
        },
      }).remove,
    sleep: async (ms: number) => {
      slept.push(ms);
      world.pass(ms / 1000);
    },
  };
  return Object.assign(world, {
    files,
    atPlatform,
    /** The records in CRM-B and the help desk. */
    remote,
    /** The next answers of both systems to a removal. */
    removals,
    /** The records whose removal was requested. */
    asked,
    /** The next answers of the platform to a deletion. */
    failures,
    slept,
    deps,
    /** Lets something happen once, when an erasure waits for workers or readers. */
    duringFirstWait: (happen: () => void | Promise<void>) => {
      const { sleep } = deps;
      deps.sleep = async (ms) => {
        deps.sleep = sleep;
        await happen();
        await sleep(ms);
      };
    },
    /** Finds the canaries left in tables and bucket. */
    left: (words: readonly string[] = canaries): string[] => {
      const tables = JSON.stringify([...world.snapshot()], (_, value) => (value instanceof Set ? [...value] : value));
      const text = `${tables} ${[...files].join(' ')} ${[...atPlatform].join(' ')}`;
      return words.filter((word) => text.includes(word));
    },
  });
}
