import { recordingLink } from '../../../../shared/domain/after-call/recording-link.ts';
import { signCall } from '../../../../shared/domain/calls/platform/call-signature.ts';
import { hashWebhookToken, newWebhookToken } from '../../../../shared/domain/connections/deliveries/webhook-token.ts';
import { callIdFor } from '../../../../shared/domain/ids.ts';
import { hashApiKey, newApiKey } from '../../../../shared/domain/organizations/api-key.ts';
import { openVapiMessage } from '../../../../shared/integrations/voice/vapi/messages.ts';
import type { RestRoute } from '../../../../shared/messages/rest/route.ts';
import { restRoutes } from '../../../../shared/messages/rest/routes.ts';
import { analyzeCall } from '../../../../shared/operations/after-call/analyze-call.ts';
import { openRecording } from '../../../../shared/operations/after-call/open-recording.ts';
import { getCall } from '../../../../shared/operations/calls/get-call.ts';
import { placeCall } from '../../../../shared/operations/calls/place-call.ts';
import { receiveVoiceMessage } from '../../../../shared/operations/calls/receive-voice-message.ts';
import { completeConsent } from '../../../../shared/operations/connections/complete-consent.ts';
import { receiveCrmALead } from '../../../../shared/operations/leads/receive-crm-a-lead.ts';
import { receiveCrmBNotification } from '../../../../shared/operations/leads/receive-crm-b-notification.ts';
import { uploadKnowledge } from '../../../../shared/operations/organizations/upload-knowledge.ts';
import { openFieldsOf } from '../../../support/rest/open-fields.ts';
import { aCall } from '../../support/call.ts';
import { aConnection, anAssistant, anOrg, ORG } from '../../support/worlds/items.ts';
import { aWorld, PUBLIC_URL, START } from '../../support/worlds/world.ts';

const OTHER = 'org9999999999999999';
const OTHERS_KEY = 'order-9';
const OTHERS_CALL = callIdFor(OTHER, OTHERS_KEY);
const apiKey = newApiKey(ORG);
const authorization = `Bearer ${apiKey}`;
const [TOKEN, OTHERS_TOKEN] = [newWebhookToken(), newWebhookToken()];
const OTHERS = { 'crm-a': 'conn_8', 'crm-b': 'conn_9', 'help-desk': 'conn_7' } as const;

/** An organization whose key and tokens prove the requests. @param hasOthers whether another one exists beside it */
function aStage(hasOthers: boolean) {
  const key = { key_hash: hashApiKey(apiKey), key_id: 'key_1', org_id: ORG, name: 'k', created_at: START };
  const world = aWorld({
    'api-keys': [{ ...key, permissions: ['calls:write'], last_used_at: START }],
    organizations: [anOrg(), anOrg({ org_id: OTHER })],
    assistants: [anAssistant()],
    connections: [aConnection({ type: 'crm-a', token_hash: hashWebhookToken(TOKEN) })],
  });
  if (!hasOthers) return world;
  const recording = { state: 'stored', key: 'recordings/org9/call.wav' } as const;
  world.put('assistants', anAssistant({ assistant_id: 'asst_9', org_id: OTHER }));
  world.putCall(aCall({ call_id: OTHERS_CALL, org_id: OTHER, idempotency_key: OTHERS_KEY, recording }));
  for (const [type, connection_id] of Object.entries(OTHERS) as [keyof typeof OTHERS, string][])
    world.put(
      'connections',
      aConnection({ connection_id, org_id: OTHER, type, token_hash: hashWebhookToken(OTHERS_TOKEN) }),
    );
  return world;
}

type Stage = ReturnType<typeof aStage>;

const placing = { phone_number: '+919812345678', metadata: {}, idempotency_key: undefined, callback_url: undefined };
const refusal = async () => {
  throw new Error('the request had an effect');
};
const linkKeys = async (): Promise<[string]> => ['key'];

const placed = ({ common }: Stage, over: object) => {
  const body = { ok: true, request: { ...placing, assistant_id: 'asst_1', ...over } } as const;
  return placeCall(common, { requestId: 'r', authorization, from: {}, body });
};

/** A state of this organization that names a connection of another one. */
const consented = async ({ put, common }: Stage, type: 'crm-b' | 'help-desk') => {
  const names = { state: 's'.repeat(43), org_id: ORG, connection_id: OTHERS[type], type };
  const secrets = { data_center: 'in', verifier: 'v', redirect_uri: 'https://svc.example', created_at: START };
  put('oauth-states', { ...names, ...secrets, connects: 'at_callback' });
  const accounts = { exchange: refusal, revoke: refusal };
  const deps = { ...common, accounts, clientOf: refusal, readIdentity: refusal, hosts: {}, sleep: refusal };
  const callback = { state: names.state, code: 'code-1', error: undefined, accountsServer: undefined };
  return completeConsent(deps, type, callback);
};

type Crossing = {
  /** Sends the other organization's value. */
  ask: (world: Stage) => Promise<string | { kind: string }>;
  /** The answer to an unknown value. */
  unknown: string;
  /** The answer to the other organization's value, if it differs. */
  crossed?: string;
};

/** Every id in a request, here of another organization. */
const crossings: Record<string, Crossing> = {
  'GET /v1/calls/{id}': {
    ask: ({ common }) => getCall(common, authorization, OTHERS_CALL),
    unknown: 'call_not_found',
  },
  'POST /v1/calls/{id}/analyze': {
    ask: ({ common }) => {
      const files = { getTranscript: refusal };
      const analyst = { analystWithin: () => ({ analyze: refusal }), modelTimeoutMs: 1_000, elapsedMs: () => 0 };
      return analyzeCall({ ...common, files, ...analyst }, authorization, OTHERS_CALL);
    },
    unknown: 'call_not_found',
  },
  'POST /v1/assistants/{id}/knowledge-base': {
    ask: ({ common }) => {
      const knowledge = { put: refusal, remove: refusal };
      const request = { authorization, from: {}, assistantId: 'asst_9', files: refusal };
      return uploadKnowledge({ ...common, knowledge, extract: refusal }, request);
    },
    unknown: 'assistant_not_found',
  },
  'POST /v1/calls/outbound assistant_id': {
    ask: (world) => placed(world, { assistant_id: 'asst_9' }),
    unknown: 'assistant_not_found',
    // The exception that reveals the assistant (docs/rest-api.md).
    crossed: 'assistant_wrong_org',
  },
  'POST /v1/calls/outbound idempotency_key': {
    ask: (world) => placed(world, { idempotency_key: OTHERS_KEY }),
    unknown: 'placed',
  },
  'GET /api/recordings/{callId}': {
    ask: ({ common }) => {
      const own = recordingLink('key', PUBLIC_URL, 'call_1', new Date(START));
      const parts = Object.fromEntries(new URL(own).searchParams);
      return openRecording({ ...common, linkKeys, linkTo: refusal }, OTHERS_CALL, parts);
    },
    unknown: 'invalid_link',
  },
  'POST /api/webhooks/voice/vapi body': {
    ask: ({ common }) => {
      const call = { id: 'platform-9', customer: { externalId: OTHERS_CALL } };
      const message = { type: 'status-update', status: 'ringing', call };
      const files = { putReportedTranscript: refusal, putReportedLines: refusal };
      const voiceEvents = { send: refusal, sendMany: refusal };
      const deps = { ...common, keys: linkKeys, files, voiceEvents };
      const opened = openVapiMessage(JSON.stringify({ message }), () => new Date(START));
      return receiveVoiceMessage(deps, opened, signCall('key', 'call_1'));
    },
    unknown: 'unauthorized',
  },
  'POST /api/webhooks/crm-a/{connectionId}': {
    ask: ({ common }) => {
      const leadQueue = { send: refusal, sendMany: refusal };
      const proof = { connectionId: OTHERS['crm-a'], token: TOKEN, testToken: undefined };
      return receiveCrmALead({ ...common, leadQueue }, { ...proof, read: () => [] });
    },
    ...{ unknown: 'unknown connection', crossed: 'unauthorized' },
  },
  'POST /api/webhooks/crm-b/{connectionId}': {
    ask: ({ common }) => {
      const leadQueue = { send: refusal, sendMany: refusal };
      const content = { ids: ['7'], event: 'new_lead', keys: ['token', 'ids'] } as const;
      const open = () => ({ token: TOKEN, read: () => ({ ...content, ids: [...content.ids], keys: [] }) });
      return receiveCrmBNotification({ ...common, leadQueue }, { connectionId: OTHERS['crm-b'], open });
    },
    ...{ unknown: 'unknown connection', crossed: 'unauthorized' },
  },
  'GET /api/oauth/crm-b/callback state': { ask: (world) => consented(world, 'crm-b'), unknown: 'failed' },
  'GET /api/oauth/help-desk/callback state': { ask: (world) => consented(world, 'help-desk'), unknown: 'failed' },
};

/** The other fields, by the reason why another organization's value is no different from any other. */
const harmless: Record<string, string[]> = {
  'a number that no organization owns': ['phone_number'],
  'stored with the call as it is': ['metadata', 'callback_url'],
  'signed together with the id in the path': ['expires', 'key', 'signature'],
  'the proof itself, tried with the id in the path': ['token'],
  'read only after the proof, and about leads of its connection': ['module', 'operation', 'ids'],
  'read by the vendor, or a name of a host on a fixed list': ['code', 'error', 'accounts-server'],
};
/** Bodies without a schema of their own that are read only after the proof of the id in the path. */
const provedByPath = ['POST /api/webhooks/crm-a/{connectionId} body'];

const idsOf = (route: RestRoute) => {
  const name = `${route.method} ${route.path}`;
  const fields = [...openFieldsOf(route.request), ...(route.query ?? [])];
  return [
    ...(route.path.includes('{') ? [{ field: '', key: name }] : []),
    ...fields.map((field) => ({ field, key: `${name} ${field || 'body'}` })),
  ];
};

const kindOf = (answer: string | { kind: string }) => (typeof answer === 'string' ? answer : answer.kind);

/** A refused delivery is noted at the connection. */
const withoutRefusals = ({ rejection: _, rejected_minutes: __, ...item }: Record<string, unknown>) => item;

describe("an id of another organization in a client's, a CRM's or a vendor's request", () => {
  it('has a case in this test for every route and every field that may hold one', () => {
    const ids = restRoutes.filter(({ proof }) => proof !== 'none').flatMap(idsOf);
    const free = Object.values(harmless).flat();
    const needed = ids.filter(({ field, key }) => !free.includes(field) && !provedByPath.includes(key));
    expect(needed.map(({ key }) => key).sort()).toEqual(Object.keys(crossings).sort());
    expect(
      [...free, ...provedByPath].filter((one) => !ids.some(({ field, key }) => one === field || one === key)),
    ).toEqual([]);
  });

  it.each(Object.entries(crossings))(
    'is answered like an unknown id, and has no effect: %s',
    async (_name, { ask, unknown, crossed }) => {
      const [alone, beside] = [aStage(false), aStage(true)];
      const others = () =>
        (['assistants', 'calls', 'organizations', 'connections'] as const).map((table) =>
          structuredClone(beside.all(table).filter(({ org_id }) => org_id === OTHER)).map(withoutRefusals),
        );
      const before = others();
      const answers = [await ask(alone), await ask(beside)] as const;
      expect(answers.map(kindOf)).toEqual([unknown, crossed ?? unknown]);
      if (!crossed) expect(answers[1]).toEqual(answers[0]);
      expect(JSON.stringify(answers[1])).not.toContain(OTHERS_CALL);
      expect(others()).toEqual(before);
    },
  );
});
