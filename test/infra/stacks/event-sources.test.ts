import { type FunctionName, functionNames, functionRow } from '../../../lib/functions.ts';
import { queues } from '../../../lib/queues.ts';
import { type TableName, tableRow, tables } from '../../../lib/tables.ts';
import { isBetween, mentions } from '../support/resources.ts';
import { alarms, calledBy, functionNamed, prod } from '../support/stages/prod.ts';
import { targetOf } from '../support/synthesize.ts';

describe('every event source', () => {
  const mappings = (isStream: boolean) =>
    prod
      .ofType('AWS::Lambda::EventSourceMapping')
      .filter(({ Properties }) => (Properties.StartingPosition !== undefined) === isStream);

  it('supports partial batch failures', () => {
    for (const { Properties } of [...mappings(true), ...mappings(false)])
      expect(Properties.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
  });

  it('that is a queue has a maximum concurrency', () => {
    expect(mappings(false)).toHaveLength(Object.keys(queues).length);
    for (const { Properties } of mappings(false))
      expect(Properties.ScalingConfig.MaximumConcurrency).toBeGreaterThanOrEqual(2);
  });

  describe("and Lambda's detection of recursive loops", () => {
    const receives = (name: FunctionName) => {
      const { trigger } = functionRow(name);
      return trigger.kind === 'queue' ? trigger.queue : undefined;
    };
    const sendsTo = (name: FunctionName) =>
      Object.values(functionRow(name).uses).flatMap((use) => (use.kind === 'queueUrl' ? [use.queue] : []));
    const isAllowed = (name: FunctionName) => functionNamed(name).Properties.RecursiveLoop === 'Allow';
    const workers = functionNames.filter((name) => receives(name));
    /** Every function that the messages of this function reach, through any number of queues. */
    const reachedFrom = (name: FunctionName, found = new Set<FunctionName>()): Set<FunctionName> => {
      for (const next of workers.filter((worker) => sendsTo(name).includes(receives(worker) as never)))
        if (!found.has(next)) reachedFrom(next, found.add(next));
      return found;
    };

    it('allows self-invocation to exactly the functions that send to their own queue; our deadlines limit their chains', () => {
      const own = functionNames.filter((name) => sendsTo(name).includes(receives(name) as never));
      expect(own).toEqual(expect.arrayContaining(['dial-call', 'finish-call', 'sync-crm-b', 'create-ticket']));
      expect(functionNames.filter(isAllowed)).toEqual(own);
      for (const name of functionNames)
        expect([undefined, 'Allow']).toContain(functionNamed(name).Properties.RecursiveLoop);
    });

    it('ends no loop through other functions, because each function of the loop may invoke itself', () => {
      expect(reachedFrom('dial-call')).toContain('hand-over-slots');
      for (const name of workers.filter((worker) => reachedFrom(worker).has(worker)))
        expect([name, isAllowed(name)]).toEqual([name, true]);
    });

    it('raises the alarm if it ends a function of a queue', () => {
      const watched = alarms().filter(({ Properties }) => Properties.MetricName === 'RecursiveInvocationsDropped');
      expect(watched.map(({ Properties }) => Properties.AlarmName).sort()).toEqual(
        workers
          .filter((name) => !isAllowed(name))
          .map((name) => `calling-service-prod-${name}-loop`)
          .sort(),
      );
      expect(watched).not.toEqual([]);
      for (const { Properties } of watched)
        expect(Properties).toMatchObject({ Namespace: 'AWS/Lambda', Threshold: 0, EvaluationPeriods: 1 });
    });
  });

  it('that is a stream limits its retries and stores the batches that it gives up', () => {
    const streamed = Object.keys(tables).filter((name) => tableRow(name as TableName).hasStream);
    expect(mappings(true)).toHaveLength(streamed.length);
    for (const { Properties } of mappings(true)) {
      const { MaximumRetryAttempts, MaximumRecordAgeInSeconds, DestinationConfig, EventSourceArn } = Properties;
      expect(Properties).toMatchObject({ BisectBatchOnFunctionError: true, StartingPosition: 'TRIM_HORIZON' });
      expect(isBetween(1, MaximumRetryAttempts, 10)).toBe(true);
      expect(isBetween(1, MaximumRecordAgeInSeconds, 24 * 3600 - 1)).toBe(true);
      const [, failures = ''] =
        /(\w+)streamfailures/.exec(JSON.stringify(DestinationConfig.OnFailure.Destination)) ?? [];
      expect(failures).not.toBe('');
      expect(mentions(EventSourceArn, `table${failures.replace(/^.*Att/, '')}`)).toBe(true);
    }
  });

  it('that is a stream raises the alarm if it lags', () => {
    const lagging = alarms().filter(({ Properties }) => Properties.MetricName === 'IteratorAge');
    expect(lagging.map(({ Properties }) => targetOf(Properties.Dimensions[0].Value))).toEqual(
      mappings(true).map((mapping) => calledBy(mapping, mapping.Properties.FunctionName)?.id),
    );
  });
});
