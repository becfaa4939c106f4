import { PutObjectCommand } from '@aws-sdk/client-s3';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { hashApiKey } from '../../../shared/domain/organizations/api-key.ts';
import type { Assistant } from '../../../shared/domain/organizations/assistants/assistant.ts';
import { createAssistant } from '../../../shared/messages/dashboard/assistants.ts';
import { createKey } from '../../../shared/messages/dashboard/keys.ts';
import { aFinishedCall } from '../../support/calls/finished-call.ts';
import { aGrantedConnection } from '../../support/connections/crm-b.ts';
import { aHelpDeskConnection, anAnalysis } from '../../support/connections/help-desk.ts';
import { acting, action, aMember, anInvitedPerson, aSeed, type Person } from '../../support/dashboard/dashboard.ts';
import { aConnection } from '../../support/leads/leads.ts';
import { crowd } from '../../support/organizations/crowded-org.ts';
import { anOrg, changeOrg } from '../../support/organizations/orgs.ts';
import { aPhoneNumber } from '../../support/rest/rest.ts';
import { db, filesBucket, named, s3, secondsAgo } from '../../support/stack/stack.ts';
import type { DialogThings } from '../support/dialogs.ts';
import { aHeardCall } from '../support/heard-call.ts';
import type { Things } from '../support/pages.ts';

export type ShownOrg = { owner: Person; viewer: Person; things: Things } & Pick<
  DialogThings,
  'liveCall' | 'spareAssistant'
>;

const DAY_SECONDS = 86_400;

const PROMPT = `You are Asha, who calls people that asked about the flats of Lakeview Homes.

Greet them by name where you know it ({{FirstName|there}}), find out how many rooms they look for, in which area and for how much, and offer a visit on one of the next two Saturdays.

Never name a price that is not in the price list. If they want to talk to a person, transfer the call.`;

const asha: Partial<Assistant> = {
  prompt: PROMPT,
  first_message: 'Namaste {{FirstName|there}}, this is Asha of Lakeview Homes. Is this a good time?',
  language: 'hi-IN',
  voice: 'priya',
  transfer_number: '+912240001000',
  success_criteria: 'The person agreed to visit a flat on a certain day.',
  analysis_schema: {
    type: 'object',
    properties: {
      budget: { type: 'number', description: 'The highest price in rupees' },
      area: { type: 'string', description: 'Where they look for a flat' },
      wants_visit: { type: 'boolean', description: 'Whether a visit was agreed' },
    },
    required: ['wants_visit'],
  },
  knowledge_base: [
    ['price-list-2026.pdf', 'Two rooms from 42 lakh, three rooms from 61 lakh …'],
    ['floor-plans.docx', 'Tower A has twelve floors with four flats each …'],
  ].map(([filename = '', textPreview = ''], index) => ({
    id: `kb_${index}`,
    filename,
    path: `knowledge/none/${index}.txt`,
    textPreview,
    uploadedAt: '2026-11-03T05:12:00.000Z',
  })),
};

/** Changes a connection directly in its table, to simulate weeks of deliveries. */
async function putInto({ connection_id }: Pick<Connection, 'connection_id'>, set: Partial<Connection>): Promise<void> {
  const entries = Object.entries(set);
  await db.send(
    new UpdateCommand({
      TableName: named.table('connections'),
      Key: { connection_id },
      UpdateExpression: `SET ${entries.map((_, index) => `#${index} = :${index}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(entries.map(([name], index) => [`#${index}`, name])),
      ExpressionAttributeValues: Object.fromEntries(entries.map(([, value], index) => [`:${index}`, value])),
    }),
  );
}

/** Stores the texts of the assistant's files, so that they can be read. */
async function storeKnowledge(): Promise<void> {
  for (const { path, textPreview } of asha.knowledge_base ?? [])
    await s3.send(new PutObjectCommand({ Bucket: await filesBucket(), Key: path, Body: textPreview }));
}

/** An organization in regular use, with data on every page. */
export async function aBusyOrg(): Promise<ShownOrg> {
  const org = await anOrg({ credits: 4_300, assistant: asha });
  await changeOrg(org.orgId, {
    name: 'Lakeview Homes',
    warn_below: 5_000_000,
    platform_numbers: ['+912240001000'],
    max_live_calls: 20,
  });
  const owner = await aMember(org, 'owner', 'Priya Nair');
  const viewer = await aMember(org, 'viewer', 'Dev Malhotra');
  await aMember(org, 'admin', 'Rahul Verma');
  await aMember(org, 'member', 'Sunita Rao-Krishnamurthy');
  await anInvitedPerson(org, 'member', 'Imran Sheikh');
  await storeKnowledge();
  const ask = await acting(owner);
  const { body: second } = await ask(createAssistant, {
    body: { name: 'Kabir (site visits)', prompt: PROMPT, first_message: 'Hello {{FirstName|there}}.' },
    headers: action(),
  });
  for (const [name, permissions] of [
    ['website backend', ['calls:write', 'assistants:read']],
    ['reporting', ['calls:read']],
  ])
    await ask(createKey, { body: { name, permissions, seed: aSeed() } });
  const { connection: a } = await aConnection({}, org);
  await putInto(a, { last_delivery_at: secondsAgo(420) });
  const b = await aGrantedConnection(org, {
    settings: { call_window_start: '09:30', call_window_end: '20:00', exclude_sunday: true },
  });
  const desk = await aHelpDeskConnection(org, {
    subject_template: 'Call with {caller_name}: {issue_summary}',
    description_template: '{summary}\n\nCalled: {caller_mobile}',
    priority_mapping: { field: 'lead_intent', values: { complaint: 'High' } },
    attach_full_transcript: true,
    tags: ['voice-assistant', 'flats'],
  });
  const connections = [
    { crm: 'crm-a' as const, connection_id: a.connection_id, owner_id: a.trigger_owner_user_id ?? '' },
    { crm: 'crm-b' as const, connection_id: b.connectionId, owner_id: b.ownerId },
  ];
  await crowd(org, {
    calls: 140,
    events: 90,
    numbers: 60,
    days: 28,
    connections,
    assistants: [
      { id: org.assistantId, name: 'Asha' },
      { id: String(second.assistant_id), name: 'Kabir (site visits)' },
    ],
  });
  const heard = await aHeardCall(org, 'https://client.example/hooks/calls', {
    ended_reason: 'customer-ended-call',
    started_at: secondsAgo(90_040),
    ended_at: secondsAgo(90_010),
    finished_at: secondsAgo(90_000),
    created_at: secondsAgo(90_060),
    progress_at: secondsAgo(90_010),
    cost: 1_000,
    analysis: anAnalysis({
      summary: 'Meera wants to see the two-room flat in Kharadi. A visit on Saturday at eleven was agreed.',
      sentiment: 'positive',
      lead_intent: 'callback',
      issue_summary: null,
      structured_data: { budget: 4_500_000, area: 'Kharadi', wants_visit: true },
    }),
    request_metadata: { name: 'Meera Iyer', order: 'ORD-1182' },
  });
  const live = await aFinishedCall(org, undefined, {
    status: 'in_progress',
    phone_number: aPhoneNumber(),
    started_at: secondsAgo(41),
    ended_at: undefined,
    finished_at: undefined,
    duration: undefined,
    cost: undefined,
    unfinished: 'claimed',
    held: 10_000,
  });
  return {
    owner,
    viewer,
    liveCall: live.call_id,
    spareAssistant: String(second.assistant_id),
    things: {
      call: heard.call_id,
      assistant: org.assistantId,
      connections: [a.connection_id, b.connectionId, desk.connection_id],
    },
  };
}

/** An organization whose CRMs have stopped: CRM-A is silent; CRM-B missed a sweep, then its consent was revoked. */
export async function aTroubledOrg(): Promise<ShownOrg> {
  const org = await anOrg({ assistant: asha });
  await changeOrg(org.orgId, { name: 'Hillcrest School' });
  const [owner, viewer] = [await aMember(org, 'owner', 'Kavya Menon'), await aMember(org, 'viewer', 'Arjun Das')];
  const { connection: a } = await aConnection({}, org);
  await putInto(a, {
    last_delivery_at: secondsAgo(9 * DAY_SECONDS),
    silent_since: secondsAgo(2 * DAY_SECONDS),
    delivery_rhythm: { usual_gap: 14_400, observed: 10 * DAY_SECONDS },
  });
  const { connection: b } = await aGrantedConnection(org);
  await putInto(b, {
    last_delivery_at: secondsAgo(DAY_SECONDS),
    reconnect_needed: { at: secondsAgo(7_200), reason: 'the consent was revoked' },
    missed_sweep: { at: secondsAgo(3 * DAY_SECONDS), given_up_at: secondsAgo(2.5 * DAY_SECONDS) },
  });
  return { owner, viewer, things: { connections: [a.connection_id, b.connection_id] } };
}

/** A new organization: only a connection exists, which waits for its consent. */
export async function aNewOrg(): Promise<ShownOrg> {
  const org = await anOrg();
  await changeOrg(org.orgId, { name: 'Riverside Clinics' });
  const [owner, viewer] = [await aMember(org, 'owner', 'Anita Desai'), await aMember(org, 'viewer', 'Vikram Seth')];
  const { connection } = await aConnection({ trigger_owner_user_id: undefined, assistant_id: undefined }, org);
  const Key = { assistant_id: org.assistantId };
  await db.send(new DeleteCommand({ TableName: named.table('assistants'), Key }));
  await db.send(new DeleteCommand({ TableName: named.table('api-keys'), Key: { key_hash: hashApiKey(org.apiKey) } }));
  return { owner, viewer, things: { connections: [connection.connection_id] } };
}
