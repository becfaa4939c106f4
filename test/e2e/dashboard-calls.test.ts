import type { Call } from '../../shared/domain/calls/call.ts';
import { callIdFor } from '../../shared/domain/ids.ts';
import { listCalls } from '../../shared/messages/dashboard/calls.ts';
import { aMember, ask, tokensOf } from '../support/dashboard.ts';
import { aFinishedCall } from '../support/finished-call.ts';
import { anOrg, type TestOrg } from '../support/orgs.ts';
import { secondsAgo } from '../support/stack.ts';

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

const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);

describe('list-calls', () => {
  it('shows a call, and filters by what it is and when it was placed', async () => {
    const org = await anOrg();
    const { list } = await aViewer(org);
    const at = (seconds: number, over: Partial<Call> = {}) =>
      aFinishedCall(org, undefined, { created_at: secondsAgo(seconds), ...over });
    const call_id = callIdFor(org.orgId, 'order-7');
    const result = {
      summary: 'A visit was agreed.',
      success_eval: 'success' as const,
      sentiment: 'positive' as const,
      structured_data: {},
      lead_intent: null,
      issue_summary: null,
      do_not_call: false,
    };
    const analyzed = await at(400, { cost: 3_000, analysis: { state: 'done', result }, callback_status: 'delivered' });
    const byKey = await at(300, { call_id, status: 'busy', callback_status: 'failed' });
    const other = await at(200, { status: 'no_answer', assistant_id: 'asst_other' });
    await aFinishedCall(await anOrg());

    const all = await list();
    expect(idsOf(all)).toEqual([other.call_id, byKey.call_id, analyzed.call_id]);
    expect(all).toMatchObject({ next: null, searched_to: null });
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
      [{ q: 'order-7', status: 'completed' }, []],
      [{ q: 'nothing of ours' }, []],
    ] satisfies [Record<string, string>, Call[]][])
      expect([query, idsOf(await list(query))]).toEqual([query, found.map((call) => call.call_id)]);
  });

  it('lists every call once, page by page, while others are placed; a cursor reads only one’s own calls', async () => {
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
