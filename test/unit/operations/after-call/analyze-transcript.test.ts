import fc from 'fast-check';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import type { AnalysisOutcome } from '../../../../shared/integrations/model/analyst.ts';
import { aResult } from '../../support/call.ts';
import { analyzed, anEndedCall } from '../../support/ended-call.ts';

const wish = { do_not_call: true };
const other = analyzed({ summary: 'Another one.' });
const failures: [string, AnalysisOutcome & { kind: 'invalid' | 'unavailable' }][] = [
  ['invalid', { kind: 'invalid', reason: 'no data' }],
  ['unavailable', { kind: 'unavailable', reason: 'throttled', isOperatorFault: false }],
];

/** An ended call, and a model that always answers with this outcome. */
function answered(outcome: AnalysisOutcome, over: Partial<Call> = {}) {
  const world = anEndedCall(over);
  world.answer(outcome);
  return world;
}

describe('the analysis of a call', () => {
  it("is requested with the transcript and the assistant's criteria and schema, and stored on the call", async () => {
    const world = answered(analyzed({ structured_data: { budget: 12.5 } }, true));
    const result = aResult({ structured_data: { budget: 12.5 } });
    expect(await world.analyze()).toEqual({ kind: 'analyzed', result });
    const schema = { type: 'object', properties: { budget: { type: 'number' } } };
    const { ms: at, transcript } = world;
    expect(world.questions).toEqual([{ at, transcript, criteria: 'A visit is agreed.', schema }]);
    expect(world.stored()).toMatchObject({
      analysis: { state: 'done', result, is_cut: true },
      analyzed_at: world.now,
    });
  });

  it('is requested without criteria and schema if the assistant is deleted', async () => {
    const world = anEndedCall({ assistant_id: 'asst_gone' });
    expect(await world.analyze()).toMatchObject({ kind: 'analyzed' });
    expect(world.questions[0]).toMatchObject({ criteria: undefined, schema: undefined });
  });

  it('stores structured data of any depth, numbers and texts unchanged', async () => {
    // A schema cannot contain this member, and a read does not return it.
    const memberName = fc.string().filter((name) => name !== '__proto__');
    await fc.assert(
      fc.asyncProperty(fc.dictionary(memberName, fc.jsonValue({ maxDepth: 40 })), async (structured_data) => {
        const world = answered(analyzed({ structured_data }));
        await world.analyze();
        const plain = JSON.parse(JSON.stringify(structured_data));
        expect(world.stored().analysis?.result?.structured_data).toEqual(plain);
      }),
    );
  });

  it.each([
    ['no transcript was reported', { transcript_key: undefined }, 'Hello.'],
    ['its retention has passed', { ended_at: '2026-02-01T06:00:00.000Z', keep: { transcripts: 7 } }, 'Hello.'],
    ['its file is empty', {}, ''],
    ['no word was said', {}, ' \n'],
    ['its file is gone', {}, undefined],
  ])('is not requested if %s', async (_name, over, transcript) => {
    const world = Object.assign(anEndedCall(over), { transcript });
    expect(await world.analyze()).toMatchObject({ kind: 'no_transcript' });
    expect(world.questions).toEqual([]);
    expect(world.stored()).toEqual(world.call);
  });

  it.each(failures)('does not replace an earlier one if the answer is %s', async (_name, outcome) => {
    const world = anEndedCall();
    await world.analyze();
    const before = world.stored();
    world.answer(outcome);
    expect(await world.analyze()).toEqual(outcome);
    expect(world.stored()).toEqual(before);
  });

  it('replaces the result of an earlier one, but not the time of the first', async () => {
    const world = anEndedCall({ finished_at: '2026-03-02T06:03:00.000Z', crm_b_sync: 'done' });
    await world.analyze();
    const first = world.stored();
    world.pass(86_400);
    world.answer(other);
    await world.analyze();
    const result = aResult({ summary: 'Another one.' });
    expect(world.stored()).toEqual({ ...first, analysis: { state: 'done', result } });
  });

  it('has the time of the first answer even if a second one is stored earlier', async () => {
    const world = anEndedCall();
    const { now } = world;
    world.answer(analyzed(), async () => {
      await world.analyze();
      world.pass(60);
    });
    await world.analyze();
    expect(world.stored()).toMatchObject({ analysis: { result: aResult() }, analyzed_at: now });
  });

  it('is the last one stored if several run at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 2, maxLength: 4 }), fc.scheduler(), async (wishes, s) => {
        const world = anEndedCall();
        const last: string[] = [];
        world.model = async () => {
          const index = world.questions.length - 1;
          await s.schedule(Promise.resolve());
          return analyzed({ summary: `${index}`, do_not_call: wishes[index] as boolean });
        };
        const all = wishes.map(async () => {
          const outcome = await world.analyze();
          if (outcome.kind === 'analyzed') last.push(outcome.result.summary);
        });
        await s.waitFor(Promise.all(all));
        expect(world.stored().analysis).toMatchObject({ state: 'done', result: { summary: last.at(-1) } });
        expect(world.list()).toHaveLength(wishes.includes(true) ? 1 : 0);
      }),
    );
  });
});

describe('a do-not-call request', () => {
  const { org_id, phone_number: phone, call_id } = anEndedCall().call;
  const earlier = { org_id, phone, added_at: '2026-01-01T00:00:00.000Z' };

  it('adds the number to the do-not-call list, with its call', async () => {
    const world = answered(analyzed(wish));
    await world.analyze();
    expect(world.list()).toEqual([{ org_id, phone, added_at: world.now, call_id }]);
    expect(world.stored()).toMatchObject({ do_not_call_at: world.now });
  });

  it('is found by a later analysis, too', async () => {
    const world = anEndedCall();
    await world.analyze();
    expect(world.list()).toEqual([]);
    world.answer(analyzed(wish));
    await world.analyze();
    expect(world.list()).toHaveLength(1);
  });

  it.each(['before the analysis', 'between the read of the list and the write'])(
    'does not change the entry of a number that an operator adds %s',
    async (time) => {
      const world = answered(analyzed(wish));
      const add = () => world.put('do-not-call', earlier);
      if (time === 'before the analysis') add();
      else world.beforeNextWrite(add);
      expect(await world.analyze()).toMatchObject({ kind: 'analyzed', result: wish });
      expect(world.list()).toEqual([earlier]);
      expect(world.stored()).toMatchObject({ analysis: { result: wish }, do_not_call_at: world.now });
    },
  );

  it('is not lost if another analysis without it is stored while the model answers', async () => {
    const world = anEndedCall();
    world.answer(analyzed(wish), async () => {
      world.answer(other);
      await world.analyze();
    });
    expect(await world.analyze()).toMatchObject({ kind: 'analyzed', result: wish });
    expect(world.list()).toHaveLength(1);
    expect(world.stored()).toMatchObject({ analysis: { result: wish }, do_not_call_at: world.now });
  });

  it.each<[string, AnalysisOutcome]>([
    ['with a result', analyzed(wish)],
    ['without a result', { kind: 'invalid', reason: 'no data', doNotCall: true }],
  ])('does not restore a number that an operator removed during an analysis %s', async (_name, outcome) => {
    const world = anEndedCall();
    world.answer(outcome, async () => {
      world.answer(analyzed(wish));
      await world.analyze();
      world.removeFromList();
    });
    await world.analyze();
    expect(world.list()).toEqual([]);
  });

  it('does not restore a number that an operator has removed', async () => {
    const world = answered(analyzed(wish));
    await world.analyze();
    world.removeFromList();
    for (const found of [wish, {}, wish]) {
      world.answer(analyzed(found));
      expect(await world.analyze()).toMatchObject({ kind: 'analyzed' });
    }
    expect(world.list()).toEqual([]);
  });

  describe.each(failures)('in an answer that is %s', (_name, outcome) => {
    const withWish: AnalysisOutcome = { ...outcome, doNotCall: true };

    it('is stored once without a result, and a later result is stored as usual', async () => {
      const world = answered(withWish);
      expect(await world.analyze()).toEqual(outcome);
      const at = world.now;
      expect(world.list()).toEqual([{ org_id, phone, added_at: at, call_id }]);
      expect(world.stored()).toEqual({ ...world.call, do_not_call_at: at });

      world.removeFromList();
      world.pass(60);
      expect(await world.analyze()).toEqual(outcome);
      world.answer(analyzed(wish));
      expect(await world.analyze()).toMatchObject({ kind: 'analyzed' });
      expect(world.list()).toEqual([]);
      expect(world.stored()).toMatchObject({ analysis: { state: 'done' }, do_not_call_at: at });
    });

    it.each([
      ['does not find it', other],
      ['finds it, too', analyzed(wish)],
    ])('is on the list once, beside the result of a concurrent analysis that %s', async (_found, concurrent) => {
      const world = anEndedCall();
      await world.analyze();
      world.answer(withWish, async () => {
        world.answer(concurrent);
        await world.analyze();
      });
      expect(await world.analyze()).toEqual(outcome);
      expect(world.list()).toMatchObject([{ call_id }]);
      const { result } = concurrent as { result: object };
      expect(world.stored()).toMatchObject({ analysis: { state: 'done', result }, do_not_call_at: world.now });
    });
  });
});
