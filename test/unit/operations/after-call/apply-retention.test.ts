import type { Call } from '../../../../shared/domain/calls/call.ts';
import { isKept, withKeptFiles } from '../../../../shared/domain/calls/retention/kept-files.ts';
import type { Actor } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import type { Organization } from '../../../../shared/domain/organizations/organization.ts';
import type { FileKind, Retention } from '../../../../shared/domain/organizations/retention.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { applyRetention } from '../../../../shared/operations/after-call/retention/apply-retention.ts';
import { aClaimedCall } from '../../support/call.ts';
import { aCallOfPerson, aPersonsWorld, idOf } from '../../support/erasure/person.ts';
import { anOrg, ORG } from '../../support/worlds/items.ts';
import { START } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const operator: Actor = { kind: 'operator', name: 'ravi' };
const DAY = 86_400;
const LATER = 4_000_000_000;
const daysAgo = (days: number): string => secondsAfter(START, -days * DAY);
const epoch = (instant: string): number => Math.floor(Date.parse(instant) / 1000);

/** An ended call with all its files, kept as `keep` says. */
const endedCall = (number: number, days: number, over: Partial<Call> = {}): Call =>
  aCallOfPerson(number, {
    created_at: secondsAfter(daysAgo(days), -60),
    ended_at: daysAgo(days),
    finished_at: daysAgo(days),
    callback_url: 'https://c.example',
    recording: { state: 'stored', key: `recordings/${ORG}/${idOf(number)}.wav` },
    ...over,
  });

function aStage(calls: readonly Call[]) {
  const world = aPersonsWorld(calls);
  /** The tag of each file; undefined for none. */
  const tags = new Map<string, number | undefined>();
  for (const call of calls)
    for (const key of world.files.keys())
      if (key.includes(call.call_id))
        tags.set(key, call.keep?.[key.startsWith('recordings') ? 'recordings' : 'transcripts']);
  const folders: Record<FileKind, RegExp> = { recordings: /^recordings/, transcripts: /transcripts/ };
  const fileRetention = world.outside({
    versionsOf: async ({ call_id }: Pick<Call, 'call_id'>, kind: FileKind) =>
      [...tags.keys()].filter((key) => key.includes(call_id) && folders[kind].test(key)).map((Key) => ({ Key })),
    keep: async ({ Key }: { Key: string }, days: number | undefined) => void tags.set(Key, days),
  });
  return Object.assign(world, {
    tags,
    tagsOf: (number: number) => [...tags].filter(([key]) => key.includes(idOf(number))).map(([, days]) => days),
    item: (number: number) => world.find('calls', { call_id: idOf(number) }),
    apply: (own: Partial<Organization>, { isDryRun = false, defaults = {} as Retention } = {}) =>
      applyRetention({ ...world.deps, fileRetention }, operator, anOrg(own), { defaults, isDryRun }),
  });
}

describe('applying a retention to existing data', () => {
  it('updates calls, files, notifications and Activity to the present retention, whose default is the stage’s', async () => {
    const stage = aStage([endedCall(1, 10)]);
    const applied = await stage.apply(
      { retention_calls: 90, retention_activity: 30 },
      { defaults: { recordings: 30, activity: 7 } },
    );
    expect(applied).toEqual({
      keep: { calls: 90, recordings: 30, transcripts: 90, activity: 30 },
      calls: { changed: 1, ending: 0, same: 0, under_way: 0, over: 0 },
      files: 4,
      notifications: 1,
      activity: { changed: 2, ending: 0, same: 0 },
    });
    expect(stage.callOf(idOf(1)).keep).toEqual(applied.keep);
    expect(stage.item(1)).toMatchObject({ expires_at: epoch(daysAgo(10)) + 92 * DAY });
    expect(stage.item(1)).not.toHaveProperty('keep_untagged');
    expect(stage.tagsOf(1).sort()).toEqual([30, 90, 90, 90]);
    const [callback] = stage.all('callbacks');
    expect(callback?.expires_at).toBe(epoch(String(callback?.created_at)) + 30 * DAY);
    for (const entry of stage.all('activity')) expect(entry.expires_at).toBe(epoch(String(entry.at)) + 30 * DAY);
    expect(stage.auditEntries()).toMatchObject([{ action: 'org.retention_applied', after: applied.keep }]);
  });

  it('hides older data at once, and stores the call for two more days, until the bucket has removed its files', async () => {
    const stage = aStage([endedCall(1, 40), endedCall(2, 5)]);
    const applied = await stage.apply({ retention_calls: 30, retention_activity: 7 });
    expect(applied.calls).toEqual({ changed: 2, ending: 1, same: 0, under_way: 0, over: 0 });
    const now = new Date(START);
    expect([1, 2].map((number) => isKept(stage.callOf(idOf(number)), now))).toEqual([false, true]);
    expect([stage.item(1)?.expires_at, stage.item(2)?.expires_at]).toEqual([
      epoch(START) + 2 * DAY,
      epoch(daysAgo(5)) + 32 * DAY,
    ]);
    expect(stage.tagsOf(1)).toEqual([30, 30, 30, 30]);
  });

  it('lengthens retentions that have not expired, even without limit, and does not restore expired data', async () => {
    const keep = { recordings: 7, transcripts: 30, calls: 90, activity: 7 };
    const stage = aStage([endedCall(1, 10, { keep }), endedCall(2, 2, { keep }), endedCall(3, 91, { keep })]);
    const before = stage.item(3);
    expect(await stage.apply({})).toMatchObject({
      calls: { changed: 2, ending: 0, same: 0, under_way: 0, over: 1 },
      files: 3 + 4,
    });
    // Its recording was removed after 7 days and is not looked up; remaining versions in the bucket keep their tag.
    const [first, second] = [stage.callOf(idOf(1)), stage.callOf(idOf(2))];
    expect([first.recording, first.transcript_key]).toEqual([{ state: 'none' }, expect.any(String)]);
    expect(stage.tags.get(`recordings/${ORG}/${idOf(1)}.wav`)).toBe(7);
    expect(withKeptFiles(second, new Date(secondsAfter(START, 900 * DAY)))).toEqual(second);
    expect(stage.tagsOf(2)).toEqual([undefined, undefined, undefined, undefined]);
    for (const number of [1, 2])
      for (const gone of ['keep', 'expires_at', 'keep_untagged']) expect(stage.item(number)).not.toHaveProperty(gone);
    expect([stage.item(3), stage.tagsOf(3).sort()]).toEqual([before, [30, 30, 30, 7]]);
  });

  it.each([365, 90, undefined])(
    'ends an expired file even if a second change comes before the bucket removes it: %s',
    async (last) => {
      const stage = aStage([endedCall(1, 8, { keep: { recordings: 7, transcripts: 7 } })]);
      await stage.apply({ retention_recordings: 30, retention_transcripts: 30 });
      expect(stage.tagsOf(1)).toEqual([7, 7, 7, 7]);
      await stage.apply({ retention_recordings: last, retention_transcripts: last });
      expect(stage.callOf(idOf(1))).toMatchObject({ recording: { state: 'none' } });
      expect(stage.tagsOf(1)).toEqual([7, 7, 7, 7]);
    },
  );

  it('leaves live, waiting and unfinished calls unchanged', async () => {
    const live = aClaimedCall({ call_id: idOf(1), status: 'in_progress', platform_id: 'p1' });
    const waiting = aClaimedCall({ call_id: idOf(2), status: 'queued', dial_claimed_at: undefined });
    const stage = aStage([live, waiting, endedCall(3, 40, { unfinished: 'ended', finished_at: undefined })]);
    const calls = () => structuredClone(stage.all('calls'));
    const before = calls();
    expect((await stage.apply({ retention_calls: 7 })).calls).toMatchObject({ changed: 0, under_way: 3 });
    expect(calls()).toEqual(before);
    expect(stage.tagsOf(3)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('does not change a call that is erased between its read and its write', async () => {
    const stage = aStage([endedCall(1, 10)]);
    const { begin } = stage.deps.callRetention;
    stage.deps.callRetention.begin = (...args) => {
      stage.put('calls', { ...stage.item(1), erased_at: START });
      return begin(...args);
    };
    expect(await stage.apply({ retention_calls: 7 })).toMatchObject({ calls: { changed: 0, under_way: 1 }, files: 0 });
    expect(stage.item(1)).not.toHaveProperty('keep');
  });

  it('counts the same in a dry run, and changes nothing', async () => {
    const calls = [endedCall(1, 10), endedCall(2, 40, { keep: { recordings: 7 } }), endedCall(3, 2)];
    const stage = aStage(calls);
    const before = stage.snapshot();
    const own = { retention_calls: 30, retention_activity: 7 };
    const counted = await stage.apply(own, { isDryRun: true });
    expect(stage.snapshot()).toEqual(before);
    expect(counted).toEqual(await stage.apply(own));
    expect(counted).toMatchObject({ calls: { changed: 3, ending: 1 }, files: 11 });
  });

  it('has no further effect when it is repeated', async () => {
    const stage = aStage([endedCall(1, 10), endedCall(2, 40)]);
    const own = { retention_calls: 30, retention_activity: 7 };
    await stage.apply(own);
    const [calls, activity] = [structuredClone(stage.all('calls')), structuredClone(stage.all('activity'))];
    stage.pass(3_600);
    expect(await stage.apply(own)).toMatchObject({
      calls: { changed: 0, ending: 0, same: 1, over: 1 },
      ...{ files: 0, notifications: 0 },
      activity: { changed: 0 },
    });
    expect([stage.all('calls'), stage.all('activity')]).toEqual([calls, activity]);
  });

  it('is complete when it is repeated after a crash at any line', async () => {
    const own = { retention_calls: 30, retention_recordings: 7, retention_activity: 7 };
    const keep = { recordings: 90, transcripts: 365, calls: 365 };
    const begin = () => aStage([endedCall(1, 10, { keep }), endedCall(2, 40), endedCall(3, 8)]);
    const whole = begin();
    await whole.apply(own);
    const shown = (stage: typeof whole) => [
      ...[stage.tags, stage.all('activity')],
      ...[stage.all('calls'), stage.all('callbacks')].map((items) =>
        items.map(({ call_id, keep: kept, keep_untagged, expires_at }) => [call_id, kept, keep_untagged, expires_at]),
      ),
    ];
    for await (const [stage, cut] of worldThatDies(begin, (one) => one.apply(own), 20)) {
      await stage.apply(own);
      expect([cut, ...shown(stage)]).toEqual([cut, ...shown(whole)]);
    }
  });

  it('completes an interrupted run before it applies another retention', async () => {
    const begin = () => aStage([endedCall(1, 10)]);
    for await (const [stage, cut] of worldThatDies(begin, (one) => one.apply({ retention_calls: 30 }), 8)) {
      await stage.apply({});
      expect([cut, stage.tagsOf(1), stage.callOf(idOf(1)).keep]).toEqual([
        cut,
        [undefined, undefined, undefined, undefined],
        undefined,
      ]);
      expect([cut, stage.item(1)?.expires_at, stage.item(1)?.keep_untagged]).toEqual([cut, undefined, undefined]);
    }
  });

  it('changes only the days of Activity if no other retention changed', async () => {
    const stage = aStage([endedCall(1, 10)]);
    for (const entry of stage.all('activity')) stage.put('activity', { ...entry, expires_at: LATER });
    expect(await stage.apply({ retention_activity: 7 })).toMatchObject({
      calls: { changed: 1 },
      files: 0,
      notifications: 0,
    });
    expect(stage.callOf(idOf(1)).keep).toEqual({ activity: 7 });
    expect(stage.item(1)).not.toHaveProperty('expires_at');
  });
});
