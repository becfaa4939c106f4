import { viewCallPage } from '../../../../shared/domain/after-call/call-page-view.ts';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { writeTalk } from '../../../../shared/domain/calls/conversation/talk.ts';
import { holdEntry, settlementEntry } from '../../../../shared/domain/organizations/ledger-entry.ts';
import { showCall } from '../../../../shared/operations/after-call/show-call.ts';
import { aCall } from '../../support/call.ts';
import { aWorld, START } from '../../support/worlds/world.ts';

const transcript = { state: 'none' as const, text: null, is_cut: false, lines: null };
const lines = [{ who: 'assistant' as const, text: 'Namaste.', from: 0, to: 1 }];

function aShownCall(over: Partial<Call> = {}, files: Record<string, string> = {}) {
  const call = aCall({
    status: 'completed',
    finished_at: START,
    transcript_key: 'a.txt',
    lines_key: 'a.json',
    ...over,
  });
  const world = aWorld();
  world.putCall(call);
  const transcriptStart = async (key: string) => {
    const text = files[key];
    if (text === undefined) throw new Error('no such key');
    return { text, isCut: text.startsWith('long') };
  };
  return Object.assign(world, {
    show: (orgId = call.org_id) =>
      showCall({ ...world.common, transcriptStart, log: world.common.warn }, orgId, call.call_id),
  });
}

describe('a call', () => {
  it('is shown with the lines of its transcript if they can be read', async () => {
    const plain = { 'a.txt': 'AI: Namaste.' };
    const transcript = { state: 'stored', text: 'AI: Namaste.', is_cut: false };
    const shown = (files: Record<string, string>, over: Partial<Call> = {}) => aShownCall(over, files).show();
    expect(await shown({ ...plain, 'a.json': writeTalk(lines) })).toMatchObject({
      transcript: { ...transcript, lines },
    });
    for (const files of [plain, { ...plain, 'a.json': '{"lines":' }])
      expect(await shown(files)).toMatchObject({ transcript: { ...transcript, lines: null } });
    expect(await shown(plain, { lines_key: undefined })).toMatchObject({ transcript: { ...transcript, lines: null } });
    expect(await shown({ 'a.txt': 'long', 'a.json': writeTalk(lines) })).toMatchObject({
      transcript: { is_cut: false },
    });
    expect(await shown({ 'a.txt': 'long' })).toMatchObject({ transcript: { is_cut: true } });
    expect(await shown({})).toMatchObject({ transcript: { state: 'unavailable', lines: null } });
  });

  it('is shown without files whose retention has passed', async () => {
    const keep = { recordings: 7, transcripts: 7 };
    const recording = { state: 'stored' as const, key: 'a.wav' };
    const world = aShownCall({ keep, ended_at: START, recording }, { 'a.txt': 'AI: Namaste.' });
    expect(await world.show()).toMatchObject({ transcript: { state: 'stored' }, call: { recording } });
    world.pass(7 * 86_400);
    expect(await world.show()).toMatchObject({ transcript: { state: 'none' }, call: { recording: { state: 'none' } } });
  });

  it("is shown with its own ledger entries, oldest first, and with its number's entry on the do-not-call list", async () => {
    const world = aShownCall();
    const call = aCall();
    const end = settlementEntry(call, { held: 10_000, cost: 2_000 }, START);
    const others = ['2026-03-02T05:59:00.000Z', START].flatMap((at) =>
      [1, 2, 3, 4].map((n) => holdEntry({ ...call, call_id: `call_${n}` }, 10_000, at)),
    );
    for (const entry of [...others, end, holdEntry(call, 10_000, call.created_at)]) world.put('credit-ledger', entry);
    expect(await world.show()).toMatchObject({ entries: [{ kind: 'hold' }, { kind: 'settlement' }], isListed: false });
    world.put('do-not-call', { org_id: call.org_id, phone: call.phone_number, added_at: START });
    expect(await world.show()).toMatchObject({ isListed: true });
  });

  it('is shown with its hold once, whether the ledger has the entry of the hold already or gets it later', async () => {
    const world = aShownCall({ status: 'in_progress', finished_at: undefined, hold_unentered: true });
    const hold = { kind: 'hold', held: 10_000, at: START };
    expect(await world.show()).toMatchObject({ entries: [hold] });
    const call = aCall();
    for (const entry of [holdEntry(call, 10_000, START), settlementEntry(call, { held: 10_000, cost: 2_000 }, START)])
      world.put('credit-ledger', entry);
    expect(await world.show()).toMatchObject({ entries: [hold, { kind: 'settlement' }] });
  });

  it('shows its end once, before its follow-ups, even if the platform’s clock differs', async () => {
    const at = (seconds: number) => `2026-03-02T06:00:${String(seconds).padStart(2, '0')}.000Z`;
    const times = { dial_claimed_at: at(1), started_at: at(2), analyzed_at: at(6), finished_at: at(7) };
    const timelineOf = async (over: Partial<Call>) => {
      const shown = await aShownCall({ created_at: at(0), finished_at: undefined, ...over }).show();
      if (shown.kind === 'call_not_found') throw new Error('not shown');
      return viewCallPage(shown).timeline.map(({ what }) => what);
    };
    const recording = { state: 'stored', at: at(5) } as const;
    expect(await timelineOf({ ...times, rang_at: at(2), recording, ended_at: at(40), hung_up_at: at(40) })).toEqual([
      'placed',
      'dialed',
      'rang',
      'answered',
      'ended',
      'recorded',
      'analyzed',
      'finished',
    ]);
    // Unknown facts of older calls are omitted, and so is a recording that was not stored.
    const older = { ...times, ended_at: at(3) };
    const known = ['placed', 'dialed', 'answered', 'ended', 'analyzed', 'finished'];
    for (const state of ['stored', 'failed'] as const)
      expect(await timelineOf({ ...older, recording: { state, ...(state === 'failed' && { at: at(5) }) } })).toEqual(
        known,
      );
    expect(await timelineOf({ dial_claimed_at: at(1), answered_at: at(2), hung_up_at: at(5) })).toEqual([
      'placed',
      'dialed',
      'answered',
      'hung_up',
    ]);
  });

  it('shows the pending writes to CRM-B and the help desk, and the reasons', () => {
    const pending = { finished_at: START, crm_b_sync: 'pending', crm_b_sync_error: 'CRM-B answered 503' } as const;
    const view = (over: Partial<Call>) =>
      viewCallPage({ ...{ callbacks: [], entries: [], isListed: false }, call: aCall(over), transcript }).open_steps;
    expect(view({ ...pending, crm_b_sync_after: START })).toEqual([
      { of: 'crm-b', error: 'CRM-B answered 503', next_at: START },
    ]);
    expect(view({ ...pending, crm_b_sync: 'done' })).toEqual([]);
    expect(view({ finished_at: START, ticket_work: 'pending' })).toEqual([]);
  });

  it('shows the person or key that placed it if known, without addresses', async () => {
    const from = { address: '203.0.113.7', forwarded_for: '198.51.100.7' };
    const by = async (over: Partial<Call>) => {
      const world = aShownCall(over);
      world.put('credit-ledger', holdEntry(aCall(over), 10_000, START));
      const shown = await world.show();
      if (shown.kind === 'call_not_found') throw new Error('not shown');
      const page = viewCallPage(shown);
      expect([page.credit.entries.length, /203\.0\.113|198\.51\.100/.test(JSON.stringify(page))]).toEqual([1, false]);
      return page.placed_by;
    };
    const key = { kind: 'key' as const, key_id: 'key_1', name: 'backend' };
    const member = { kind: 'member' as const, user_id: 'u1', name: 'Priya' };
    const event = { kind: 'lead' as const, event_id: 'evt_1.retry.1', source: 'retry' as const };
    const asked_by = 'meera@example.com';
    expect(await by({ placed_by: { ...key, ...from } })).toEqual(key);
    expect(await by({ placed_by: { ...member, ...from } })).toEqual(member);
    expect(await by({ placed_by: { ...event, asked_by } })).toEqual({ ...event, asked_by });
    expect(await by({ placed_by: event })).toEqual({ ...event, asked_by: null });
    expect(await by({})).toBeNull();
  });

  it('of another organization is not found', async () => {
    expect(await aShownCall().show('org2')).toEqual({ kind: 'call_not_found' });
  });
});
