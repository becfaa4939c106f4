import { randomUUID } from 'node:crypto';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { claimFor } from '../../../shared/domain/calls/dialing/claim.ts';
import { leadClaimKey } from '../../../shared/domain/calls/dialing/day-claims.ts';
import { callIdFor, connectionIdFor } from '../../../shared/domain/ids.ts';
import { istDay } from '../../../shared/domain/time/ist-day.ts';
import { linkRecording, listCalls, showCall } from '../../../shared/messages/dashboard/calls.ts';
import { AUDIO, aFinishedCall, anEndedCall } from '../../support/calls/finished-call.ts';
import { aMember, ask, tokensOf } from '../../support/dashboard/dashboard.ts';
import { anOrg, stores, type TestOrg } from '../../support/organizations/orgs.ts';
import { filesBucket, now, s3, secondsAgo } from '../../support/stack/stack.ts';

/** A viewer of the organization, with the requests that the tests send. */
async function aViewer(org: TestOrg) {
  const { access: token } = await tokensOf(await aMember(org, 'viewer'));
  const list = async (query: Record<string, string> = {}) => {
    const { status, body } = await ask(listCalls, { token, query: `?${new URLSearchParams(query)}` });
    expect([status, body.error]).toEqual([200, undefined]);
    return listCalls.answer.parse(body);
  };
  return { token, list };
}

const result = {
  summary: 'A visit was agreed.',
  success_eval: 'success' as const,
  sentiment: 'positive' as const,
  structured_data: { budget: 4_500_000 },
  lead_intent: 'callback',
  issue_summary: null,
  do_not_call: false,
};

const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);

describe('list-calls', () => {
  it('shows a call, and filters by its fields and the time of its placing', async () => {
    const org = await anOrg();
    const { list } = await aViewer(org);
    const at = (seconds: number, over: Partial<Call> = {}) =>
      aFinishedCall(org, undefined, { created_at: secondsAgo(seconds), ...over });
    const call_id = callIdFor(org.orgId, 'order-7');
    const analyzed = await at(400, { cost: 3_000, analysis: { state: 'done', result }, callback_status: 'delivered' });
    const byKey = await at(300, { call_id, status: 'busy', callback_status: 'failed' });
    const other = await at(200, { status: 'no_answer', assistant_id: 'asst_other' });
    await aFinishedCall(await anOrg());

    const all = await list();
    expect(idsOf(all)).toEqual([other.call_id, byKey.call_id, analyzed.call_id]);
    expect(all).toMatchObject({ next: null, searched_to: null, counts: null });
    expect(all.items[2]).toEqual({
      id: analyzed.call_id,
      placed_at: analyzed.created_at,
      phone_number: analyzed.phone_number,
      assistant: { id: org.assistantId, name: 'Asha' },
      source: 'rest',
      status: 'completed',
      ended_reason: null,
      scheduled_for: null,
      started_at: analyzed.started_at,
      duration: 125,
      cost: 3,
      success: 'success',
      callback_status: 'delivered',
      is_live: false,
    });
    for (const [query, found] of [
      [{ status: 'busy' }, [byKey]],
      [{ assistant_id: 'asst_other' }, [other]],
      [{ source: 'rest', success: 'success' }, [analyzed]],
      [{ source: 'crm-b' }, []],
      [{ callback: 'failed' }, [byKey]],
      [{ from: byKey.created_at, to: byKey.created_at }, [byKey]],
      [{ q: other.call_id }, [other]],
      [{ q: 'order-7' }, [byKey]],
      [{ q: `0${other.phone_number.slice(3)}` }, [other]],
      [{ q: 'order-7', status: 'completed' }, []],
      [{ q: 'nothing of ours' }, []],
    ] satisfies [Record<string, string>, Call[]][])
      expect([query, idsOf(await list(query))]).toEqual([query, found.map((call) => call.call_id)]);
  });

  it('lists and counts the calls under way, and finds the calls of a lead', async () => {
    const org = await anOrg();
    const connectionId = connectionIdFor(org.orgId, 'crm-b');
    const { list } = await aViewer(org);
    // Later than any time that a test passes.
    const scheduled_for = secondsAgo(-90 * 86_400);
    const scheduled = await aFinishedCall(org, undefined, {
      finished_at: undefined,
      status: 'scheduled',
      unfinished: 'scheduled',
      scheduled_for,
      dial_by: scheduled_for,
    });
    expect(await list({ counts: 'true', limit: '1' })).toMatchObject({
      counts: { live: { count: 0, is_cut: false }, scheduled: { count: 1, is_cut: false } },
    });
    expect(idsOf(await list({ phase: 'scheduled' }))).toEqual([scheduled.call_id]);
    expect(idsOf(await list({ phase: 'live' }))).toEqual([]);

    const lead_id = randomUUID();
    const called = await anEndedCall({ org, connectionId }, lead_id);
    const key = leadClaimKey(connectionId, lead_id, istDay(now()));
    const claim = claimFor(key, { ownerId: 'evt_1', callId: called.call_id, now: now() });
    await stores.transact({ claim: stores.claims.taking(claim) });
    expect(idsOf(await list({ q: lead_id }))).toEqual([called.call_id]);
  });

  it("lists every call once, page by page, while others are placed; a cursor reads only calls of the viewer's organization", async () => {
    const org = await anOrg();
    const { list } = await aViewer(org);
    const calls: Call[] = [];
    for (let seconds = 10; seconds > 0; seconds -= 2)
      calls.unshift(await aFinishedCall(org, undefined, { created_at: secondsAgo(seconds * 10) }));
    const seen: string[] = [];
    let first: string | null = null;
    for (let next: string | null = ''; next !== null; ) {
      const page: Awaited<ReturnType<typeof list>> = await list({ limit: '2', ...(next && { next }) });
      seen.push(...idsOf(page));
      first ??= page.next;
      next = page.next;
      await aFinishedCall(org, undefined, { created_at: secondsAgo(0) });
    }
    expect(seen).toEqual(calls.map(({ call_id }) => call_id));

    const stranger = await anOrg();
    const own = await aFinishedCall(stranger, undefined, { created_at: secondsAgo(500) });
    expect(idsOf(await (await aViewer(stranger)).list({ next: first ?? '' }))).toEqual([own.call_id]);
  });

  it('refuses a cursor and a filter that it does not know', async () => {
    const { token } = await aViewer(await anOrg());
    for (const [query, path] of [
      ['?next=bm90IGpzb24', 'next'],
      ['?status=lost', 'status'],
    ])
      expect(await ask(listCalls, { token, query: String(query) })).toMatchObject({
        status: 400,
        body: { error: 'invalid_request', fields: [{ path }] },
      });
  });
});

describe('show-call', () => {
  const show = async (org: TestOrg, id: string) => {
    const { access: token } = await tokensOf(await aMember(org, 'viewer'));
    return ask(showCall, { token }, { id });
  };

  it('shows the events, the transcript, the cost and the follow-ups of a call', async () => {
    const org = await anOrg();
    const written = { state: 'written' as const, at: secondsAgo(2), id: '77' };
    const call = await anEndedCall({ org, connectionId: 'conn_1' }, 'lead-1', {
      held: 10_000,
      cost: 3_000,
      dial_claimed_at: secondsAgo(140),
      analysis: { state: 'done', result },
      analyzed_at: secondsAgo(1),
      unfinished: undefined,
      finished_at: secondsAgo(0),
      crm_b_sync: 'done',
      call_log: written,
      note: { state: 'failed', at: secondsAgo(1), error: 'no such lead' },
    });
    await stores.callbacks.create({
      call_id: call.call_id,
      webhook_id: `${call.call_id}_call_completed`,
      org_id: org.orgId,
      type: 'call.completed',
      url: 'https://client.example/hook',
      body: '{}',
      created_at: secondsAgo(4),
      attempts: [{ at: secondsAgo(3), status_code: 500 }],
      state: 'pending',
      next_attempt_at: secondsAgo(-300),
      expires_at: 4_000_000_000,
    });
    const { status, body, headers } = await show(org, call.call_id);
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(showCall.answer.parse(body)).toEqual(body);
    expect(body).toMatchObject({
      id: call.call_id,
      source: 'crm-b',
      is_live: false,
      waits: null,
      credit: { rate: 1, held: 10, charged: 3, returned: 7, beyond_hold: 0 },
      lead: { crm: 'crm-b', lead_id: 'lead-1', is_test: false },
      steps: [
        { step: 'call_log', state: 'written', id: '77', error: null },
        { step: 'note', state: 'failed', id: null, error: 'no such lead' },
      ],
      callbacks: [{ type: 'call.completed', state: 'pending', attempts: [{ status_code: 500, error: null }] }],
      analysis: { state: 'done', result: { structured_data: { budget: 4_500_000 } } },
      transcript: { state: 'stored', text: 'Asha: Namaste.', is_cut: false },
      recording: { state: 'stored', error: null },
    });
    const facts = showCall.answer.parse(body).timeline.map(({ what }) => what);
    expect(facts).toEqual(['placed', 'dialed', 'answered', 'ended', 'analyzed', 'finished']);
  });

  it('says why a call waits, and until when', async () => {
    const org = await anOrg();
    const scheduled_for = secondsAgo(-3_600);
    const waiting = { transcript_key: undefined, ended_at: undefined, started_at: undefined, cost: undefined };
    const call = await aFinishedCall(org, undefined, { ...waiting, status: 'scheduled', scheduled_for });
    const { body } = await show(org, call.call_id);
    expect(body).toMatchObject({
      waits: { for: 'window', until: scheduled_for },
      credit: { held: 0, charged: null, returned: null },
      transcript: { state: 'none', text: null },
      callbacks: [],
      steps: [],
    });
  });

  it('shows a call whose transcript cannot be read', async () => {
    const org = await anOrg();
    const call = await aFinishedCall(org, undefined, { transcript_key: `transcripts/${org.orgId}/gone.txt` });
    expect((await show(org, call.call_id)).body).toMatchObject({ transcript: { state: 'unavailable' } });
  });
});

describe('link-recording', () => {
  it('opens the recording of a call of the organization, without a session', async () => {
    const org = await anOrg();
    const { access: token } = await tokensOf(await aMember(org, 'viewer'));
    const call = await anEndedCall({ org, connectionId: 'conn_1' }, 'lead-1');
    const { status, body } = await ask(linkRecording, { token }, { id: call.call_id });
    expect(status).toBe(200);
    const opened = await fetch(String(body.url));
    expect([opened.status, Buffer.from(await opened.arrayBuffer())]).toEqual([200, AUDIO]);
    expect(new URL(String(body.url)).searchParams.get('X-Amz-Expires')).toBe('300');
    const missing = { status: 404, body: { error: 'recording_not_found' } };
    const silent = await aFinishedCall(org);
    expect(await ask(linkRecording, { token }, { id: silent.call_id })).toMatchObject(missing);
    await s3.send(new DeleteObjectCommand({ Bucket: await filesBucket(), Key: call.recording?.key }));
    expect(await ask(linkRecording, { token }, { id: call.call_id })).toMatchObject(missing);
  });
});
