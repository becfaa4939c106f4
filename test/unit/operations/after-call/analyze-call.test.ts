import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AnalysisOutcome } from '../../../../shared/integrations/model/analyst.ts';
import { aResult } from '../../support/call.ts';
import { analyzed, anEndedCall } from '../../support/ended-call.ts';

const wish = { do_not_call: true };

describe('the analysis of a call', () => {
  it("is requested with the transcript and the assistant's criteria and schema, and stored on the call", async () => {
    const world = anEndedCall();
    world.model = async () => analyzed({ structured_data: { budget: 12.5 } }, true);
    const result = aResult({ structured_data: { budget: 12.5 } });
    expect(await world.analyze()).toEqual({ kind: 'analyzed', result });
    expect(world.asked).toEqual([
      {
        at: world.ms,
        transcript: world.transcript,
        criteria: 'A visit is agreed.',
        schema: { type: 'object', properties: { budget: { type: 'number' } } },
      },
    ]);
    expect(world.stored()).toMatchObject({
      analysis: { state: 'done', result, is_cut: true },
      analyzed_at: world.now,
    });
  });

  it('is requested without criteria and schema if the assistant is deleted', async () => {
    const world = anEndedCall({ assistant_id: 'asst_gone' });
    expect(await world.analyze()).toMatchObject({ kind: 'analyzed' });
    expect(world.asked[0]).toMatchObject({ criteria: undefined, schema: undefined });
  });

  it('stores structured data of any depth, numbers and texts unchanged', async () => {
    // A schema cannot name this member, and a read does not return it.
    const memberName = fc.string().filter((name) => name !== '__proto__');
    await fc.assert(
      fc.asyncProperty(fc.dictionary(memberName, fc.jsonValue({ maxDepth: 40 })), async (structured_data) => {
        const world = anEndedCall();
        world.model = async () => analyzed({ structured_data });
        await world.analyze();
        const plain = JSON.parse(JSON.stringify(structured_data));
        expect(world.stored().analysis?.result?.structured_data).toEqual(plain);
      }),
    );
  });

  it.each([
    ['no transcript was reported', { transcript_key: undefined }, 'Hello.'],
    ['its file is empty', {}, ''],
    ['nothing was said', {}, ' \n'],
    ['its file is gone', {}, undefined],
  ])('is not requested if %s', async (_name, over, transcript) => {
    const world = anEndedCall(over);
    world.transcript = transcript;
    expect(await world.analyze()).toMatchObject({ kind: 'no_transcript' });
    expect(world.asked).toEqual([]);
    expect(world.stored()).toEqual(world.call);
  });

  it.each([
    ['invalid', { kind: 'invalid', reason: 'no JSON' }],
    ['unavailable', { kind: 'unavailable', reason: 'throttled', isOperatorFault: false }],
  ] as [string, AnalysisOutcome][])('does not replace an earlier one if the answer is %s', async (_name, outcome) => {
    const world = anEndedCall();
    await world.analyze();
    const before = world.stored();
    world.model = async () => outcome;
    expect(await world.analyze()).toEqual(outcome);
    expect(world.stored()).toEqual(before);
  });

  it('replaces the result of an earlier one, but not the time of the first', async () => {
    const world = anEndedCall({ finished_at: '2026-03-02T06:03:00.000Z', crm_b_sync: 'done' });
    await world.analyze();
    const first = world.stored();
    world.pass(86_400);
    world.model = async () => analyzed({ summary: 'Another one.' });
    await world.analyze();
    expect(world.stored()).toEqual({
      ...first,
      analysis: { state: 'done', result: aResult({ summary: 'Another one.' }) },
    });
  });

  it('has the time of the first answer even if a second one is stored earlier', async () => {
    const world = anEndedCall();
    const { now } = world;
    world.model = async () => {
      world.model = async () => analyzed({ summary: 'Another one.' });
      await world.analyze();
      world.pass(60);
      return analyzed();
    };
    await world.analyze();
    expect(world.stored()).toMatchObject({ analysis: { result: aResult() }, analyzed_at: now });
  });

  it('is the last one stored if several run at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 2, maxLength: 4 }), fc.scheduler(), async (wishes, s) => {
        const world = anEndedCall();
        const last: string[] = [];
        world.model = async () => {
          const index = world.asked.length - 1;
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
  it('adds the number to the do-not-call list, with its call', async () => {
    const world = anEndedCall();
    world.model = async () => analyzed(wish);
    await world.analyze();
    const { org_id, phone_number: phone, call_id } = world.call;
    const at = world.now;
    expect(world.list()).toEqual([{ org_id, phone, added_at: at, call_id }]);
    expect(world.stored()).toMatchObject({ do_not_call_at: at });
  });

  it('does not change the entry of a number that is already on the list', async () => {
    const world = anEndedCall();
    const entry = { org_id: world.call.org_id, phone: world.call.phone_number, added_at: '2026-01-01T00:00:00.000Z' };
    world.put('do-not-call', entry);
    world.model = async () => analyzed(wish);
    expect(await world.analyze()).toMatchObject({ kind: 'analyzed' });
    expect(world.list()).toEqual([entry]);
  });

  it('is found by a later analysis, too', async () => {
    const world = anEndedCall();
    await world.analyze();
    expect(world.list()).toEqual([]);
    world.model = async () => analyzed(wish);
    await world.analyze();
    expect(world.list()).toHaveLength(1);
  });

  it.each<[string, AnalysisOutcome]>([
    ['with a result', analyzed(wish)],
    ['without a result', { kind: 'invalid', reason: 'no data', doNotCall: true }],
  ])('does not restore a number that an operator removed during an analysis %s', async (_name, outcome) => {
    const world = anEndedCall();
    world.model = async () => {
      world.model = async () => analyzed(wish);
      await world.analyze();
      world.remove('do-not-call', { org_id: world.call.org_id, phone: world.call.phone_number });
      return outcome;
    };
    await world.analyze();
    expect(world.list()).toEqual([]);
  });

  it('does not restore a number that an operator has removed', async () => {
    const world = anEndedCall();
    world.model = async () => analyzed(wish);
    await world.analyze();
    const { org_id, phone_number: phone } = world.call;
    world.remove('do-not-call', { org_id, phone });
    for (const found of [wish, {}, wish]) {
      world.model = async () => analyzed(found);
      expect(await world.analyze()).toMatchObject({ kind: 'analyzed' });
    }
    expect(world.list()).toEqual([]);
  });

  describe.each([
    ['invalid', { kind: 'invalid', reason: 'no data' }],
    ['unavailable', { kind: 'unavailable', reason: 'throttled', isOperatorFault: false }],
  ] as [string, AnalysisOutcome][])('in an answer that is %s', (_name, outcome) => {
    const told = async (): Promise<AnalysisOutcome> => ({ ...outcome, doNotCall: true }) as AnalysisOutcome;

    it('is stored once without a result, and a later result is stored as usual', async () => {
      const world = anEndedCall();
      world.model = told;
      expect(await world.analyze()).toEqual(outcome);
      const { org_id, phone_number: phone, call_id } = world.call;
      const at = world.now;
      expect(world.list()).toEqual([{ org_id, phone, added_at: at, call_id }]);
      expect(world.stored()).toEqual({ ...world.call, do_not_call_at: at });

      world.remove('do-not-call', { org_id, phone });
      world.pass(60);
      expect(await world.analyze()).toEqual(outcome);
      world.model = async () => analyzed(wish);
      expect(await world.analyze()).toMatchObject({ kind: 'analyzed' });
      expect(world.list()).toEqual([]);
      expect(world.stored()).toMatchObject({ analysis: { state: 'done' }, do_not_call_at: at });
    });

    it('is stored beside the results of an earlier and of a concurrent analysis', async () => {
      const world = anEndedCall();
      await world.analyze();
      world.model = async () => {
        world.model = async () => analyzed({ summary: 'Another one.' });
        await world.analyze();
        return told();
      };
      expect(await world.analyze()).toEqual(outcome);
      expect(world.list()).toMatchObject([{ call_id: world.call.call_id }]);
      expect(world.stored()).toMatchObject({
        analysis: { state: 'done', result: { summary: 'Another one.' } },
        do_not_call_at: expect.any(String),
      });
    });

    it('is on the list once if a concurrent analysis finds it, too', async () => {
      const world = anEndedCall();
      world.model = async () => {
        world.model = async () => analyzed(wish);
        await world.analyze();
        return told();
      };
      expect(await world.analyze()).toEqual(outcome);
      expect(world.list()).toHaveLength(1);
      expect(world.stored()).toMatchObject({ analysis: { state: 'done' }, do_not_call_at: expect.any(String) });
    });
  });

  it('is not lost if the number is added or the call is analyzed at the same time', async () => {
    const world = anEndedCall();
    const entry = { org_id: world.call.org_id, phone: world.call.phone_number, added_at: '2026-01-01T00:00:00.000Z' };
    world.model = async () => {
      // Another analysis, without the request, is stored while the model answers this one.
      world.model = async () => analyzed({ summary: 'Another one.' });
      await world.analyze();
      // An operator adds the number between the read of the list and the write.
      world.hooks.before = (operation) => {
        if (operation !== 'TransactWrite') return;
        delete world.hooks.before;
        world.put('do-not-call', entry);
      };
      return analyzed(wish);
    };
    expect(await world.analyze()).toMatchObject({ kind: 'analyzed', result: wish });
    expect(world.list()).toEqual([entry]);
    expect(world.stored()).toMatchObject({ analysis: { result: wish }, do_not_call_at: expect.any(String) });
  });
});
