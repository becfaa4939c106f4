import { createApiKey, hashApiKey } from '../../../../shared/domain/organizations/api-key.ts';
import { restRoutes } from '../../../../shared/messages/rest/routes.ts';
import { analyzeCall } from '../../../../shared/operations/after-call/analyze-call.ts';
import { getCall } from '../../../../shared/operations/calls/get-call.ts';
import { placeCall } from '../../../../shared/operations/calls/place-call.ts';
import { uploadKnowledge } from '../../../../shared/operations/organizations/upload-knowledge.ts';
import { aCall } from '../../support/call.ts';
import { anAssistant, anOrg, ORG } from '../../support/items.ts';
import { aWorld, START } from '../../support/world.ts';

const OTHER = 'org9999999999999999';
const OTHERS_CALL = `call_${'9'.repeat(32)}`;
const apiKey = createApiKey(ORG);
const authorization = `Bearer ${apiKey}`;

/** An organization whose key sends the requests. @param hasOthers whether another one exists beside it */
function aStage(hasOthers: boolean) {
  const key = { key_hash: hashApiKey(apiKey), key_id: 'key_1', org_id: ORG, name: 'k', created_at: START };
  const world = aWorld({
    'api-keys': [{ ...key, permissions: ['calls:write'], last_used_at: START }],
    organizations: [anOrg(), anOrg({ org_id: OTHER })],
    assistants: [anAssistant()],
  });
  if (!hasOthers) return world;
  world.put('assistants', anAssistant({ assistant_id: 'asst_9', org_id: OTHER }));
  world.putCall(aCall({ call_id: OTHERS_CALL, org_id: OTHER }));
  return world;
}

type Stage = ReturnType<typeof aStage>;

const placing = { phone_number: '+919812345678', metadata: {}, idempotency_key: undefined, callback_url: undefined };
const refusal = async () => {
  throw new Error('the body was read');
};

/** Every id in a client's request, here of another organization. */
const crossings: Record<string, (world: Stage) => Promise<{ kind: string }>> = {
  'GET /v1/calls/{id}': ({ common }) => getCall(common, authorization, OTHERS_CALL),
  'POST /v1/calls/{id}/analyze': ({ common }) => {
    const files = { getTranscript: refusal };
    const deps = {
      ...common,
      files,
      analystWithin: () => ({ analyze: refusal }),
      modelTimeoutMs: 1_000,
      elapsedMs: () => 0,
    };
    return analyzeCall(deps, authorization, OTHERS_CALL);
  },
  'POST /v1/assistants/{id}/knowledge-base': ({ common }) => {
    const knowledge = { put: refusal, remove: refusal };
    const request = { authorization, from: {}, assistantId: 'asst_9', files: refusal };
    return uploadKnowledge({ ...common, knowledge, extract: refusal }, request);
  },
  'POST /v1/calls/outbound assistant_id': ({ common }) => {
    const body = { ok: true, request: { ...placing, assistant_id: 'asst_9' } } as const;
    return placeCall(common, { requestId: 'r', authorization, from: {}, body });
  },
};

/** Placing a call is the exception that reveals the assistant: 403 `assistant_wrong_org` (docs/rest-api.md). */
const named: Record<string, string> = { 'POST /v1/calls/outbound assistant_id': 'assistant_wrong_org' };

const fieldsOf = (route: object) =>
  Object.keys((route as { request?: { def?: { shape?: object } } }).request?.def?.shape ?? {});

describe("an id of another organization in a client's request", () => {
  it('has a case in this test for every route', () => {
    const found = restRoutes
      .filter(({ proof }) => proof === 'apiKey')
      .flatMap((route) => [
        ...(route.path.includes('{') ? [`${route.method} ${route.path}`] : []),
        ...fieldsOf(route).flatMap((field) =>
          field.endsWith('_id') ? [`${route.method} ${route.path} ${field}`] : [],
        ),
      ]);
    expect(found.sort()).toEqual(Object.keys(crossings).sort());
  });

  it.each(Object.entries(crossings))('is answered like an unknown id, and has no effect: %s', async (name, ask) => {
    const [alone, beside] = [aStage(false), aStage(true)];
    const others = () => structuredClone([beside.all('assistants'), beside.all('calls'), beside.all('organizations')]);
    const before = others();
    const [unknown, crossed] = [await ask(alone), await ask(beside)];
    expect(unknown.kind).toMatch(/_not_found$/);
    if (named[name]) expect(crossed.kind).toBe(named[name]);
    else expect(crossed).toEqual(unknown);
    expect(others()).toEqual(before);
  });
});
