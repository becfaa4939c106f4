import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { DynamoEventSource, SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { createAlarm } from '../constructs/alarm.ts';
import { type AddEventSource, eventSourceAdder } from '../constructs/event-sources.ts';
import type { Resources } from '../constructs/resources.ts';
import { ServiceFunction } from '../constructs/service-function.ts';
import { DeadLetterQueue } from '../constructs/work-queue.ts';
import { type FunctionName, functionNames, functionRow, sendsToOwnQueue } from '../functions.ts';
import { names } from '../names.ts';
import type { TableName } from '../tables.ts';
import type { Trigger } from '../uses.ts';
import type { MessagingStack } from './messaging.ts';

const STREAM_RETRIES = 5;
const STREAM_RECORD_AGE = Duration.hours(6);
const OLDEST_RECORD = Duration.minutes(1);
const SCHEDULE_RETRIES = 2;
/** Lambda's maximum (API reference, PutFunctionEventInvokeConfig). */
const MAX_RETRIES = 2;
const LONGEST_WAIT = Duration.hours(1);
/** The number of consecutive missing or failed runs that raise the alarm. */
const MISSED_RUNS = 3;
/** The longest time that an alarm can look back (CloudWatch guide, "Evaluating an alarm"). */
const WEEK = { period: Duration.days(1), periods: 7 };
/** Schedules on which calls or leads depend. */
const vital: readonly FunctionName[] = ['recover-calls', 'check-watch-channels', 'sunday-sweep'];

/** The functions without routes: consumers of queues and streams, and scheduled functions. */
export class WorkersStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { stage, data, messaging, publicUrl, dashboardUrl, ...props }: StackProps & Resources,
  ) {
    super(scope, id, props);
    const resources = { stage, data, messaging, publicUrl, dashboardUrl };
    const addEventSource = eventSourceAdder(this, stage);
    for (const name of functionNames) {
      const { trigger } = functionRow(name);
      if (trigger.kind !== 'http') this.#start(name, trigger, resources, addEventSource);
    }
  }

  #start(
    name: FunctionName,
    trigger: Exclude<Trigger, { kind: 'http' }>,
    resources: Resources,
    addEventSource: AddEventSource,
  ): void {
    const { data, messaging, stage } = resources;
    const named = names(stage.name);
    const worker = new ServiceFunction(this, name, resources);
    switch (trigger.kind) {
      case 'queue':
        addEventSource(
          name,
          worker,
          new SqsEventSource(messaging.queues[trigger.queue], {
            batchSize: trigger.batchSize,
            maxConcurrency: trigger.maxConcurrency,
            reportBatchItemFailures: true,
          }),
          worker.errors,
        );
        if (!sendsToOwnQueue(name))
          createAlarm(
            worker,
            'loop-alarm',
            data.alarms,
            worker.metric('RecursiveInvocationsDropped', { period: Duration.minutes(5), statistic: 'Sum' }),
            {
              name: `${named.function(name)}-loop`,
              severity: 'urgent',
              description: `Lambda dropped messages of ${trigger.queue}, because ${name} seems to start itself. docs/runbooks/alarms.md, "A loop is ended".`,
              threshold: 0,
            },
          );
        return;
      case 'stream': {
        const late = createAlarm(
          worker,
          'iterator-age-alarm',
          data.alarms,
          worker.metric('IteratorAge', { period: Duration.minutes(1), statistic: 'Maximum' }),
          {
            name: `${named.function(name)}-iterator-age`,
            severity: trigger.table === 'calls' ? 'urgent' : 'warning',
            description: `Changes of ${trigger.table} wait for more than a minute. docs/runbooks/alarms.md, "The stream lags".`,
            threshold: OLDEST_RECORD.toMilliseconds(),
            periods: 3,
          },
        );
        const source = new DynamoEventSource(data.tables[trigger.table], {
          startingPosition: StartingPosition.TRIM_HORIZON,
          batchSize: 100,
          retryAttempts: STREAM_RETRIES,
          maxRecordAge: STREAM_RECORD_AGE,
          bisectBatchOnError: true,
          reportBatchItemFailures: true,
          onFailure: new SqsDlq(failuresOf(messaging, trigger.table)),
        });
        addEventSource(name, worker, source, late);
        return;
      }
      case 'schedule': {
        const { rate, retryAttempts, maxEventAge, words, beat } = timingOf(trigger);
        // The queue of failures belongs in this stack, because its policy names the rule that may send to it. It has an
        // alarm only if the next run is a week later: otherwise the next run makes up for a single failure, and the
        // heartbeat's alarm is raised if runs keep failing or are not started.
        const { queue: failures } = new DeadLetterQueue(this, `${name}-failures`, {
          named,
          of: name,
          ...('weekly' in trigger && { alarms: data.alarms }),
        });
        // EventBridge only starts the run; Lambda's own settings govern a failed one.
        worker.configureAsyncInvoke({ retryAttempts, maxEventAge, onFailure: new SqsDestination(failures) });
        new Rule(this, `${name}-schedule`, {
          description: `${words} -> ${name}`,
          schedule: rate,
          targets: [
            new LambdaFunction(worker, { deadLetterQueue: failures, retryAttempts: SCHEDULE_RETRIES, maxEventAge }),
          ],
        });
        // Each run writes a value: 0 if it succeeds, 1 if it fails, so that this metric shows both failed and missing
        // runs.
        const failed = worker.metricErrors({ period: beat.period, statistic: 'Minimum' });
        createAlarm(worker, 'heartbeat', data.alarms, failed, {
          name: `${named.function(name)}-heartbeat`,
          severity: vital.includes(name) ? 'urgent' : 'warning',
          description: `No run of ${name} succeeds (${words}). ${functionRow(name).ifItFails} docs/runbooks/alarms.md, "A schedule does not run".`,
          threshold: 0,
          periods: beat.periods,
          isByDay: 'weekly' in trigger,
          raisedIf: beat.raisedIf,
        });
      }
    }
  }
}

function failuresOf({ streamFailures }: MessagingStack, table: TableName): Queue {
  const queue = streamFailures[table];
  if (!queue) throw new Error(`table ${table} has no stream`);
  return queue;
}

type Timing = {
  rate: Schedule;
  retryAttempts: number;
  maxEventAge: Duration;
  words: string;
  beat: { period: Duration; periods: number; raisedIf: 'above or absent' | 'above or gone' };
};

/** Returns the times of a schedule. The next run serves as the retry, unless it is a week later. */
function timingOf(trigger: Extract<Trigger, { kind: 'schedule' }>): Timing {
  if ('everyMinutes' in trigger) {
    const minutes = Duration.minutes(trigger.everyMinutes);
    const words = `every ${trigger.everyMinutes} minutes`;
    return {
      rate: Schedule.rate(minutes),
      retryAttempts: 0,
      maxEventAge: LONGEST_WAIT.toMinutes() < trigger.everyMinutes ? LONGEST_WAIT : minutes,
      words,
      beat: { period: minutes, periods: MISSED_RUNS, raisedIf: 'above or absent' },
    };
  }
  const { weekDay, hour, minute } = trigger.weekly;
  return {
    rate: Schedule.cron({ weekDay, hour: String(hour), minute: String(minute) }),
    retryAttempts: MAX_RETRIES,
    maxEventAge: LONGEST_WAIT,
    words: `${weekDay} ${hour}:${minute} UTC`,
    // The first run of a new stage is up to a week away. A sliding week would be empty until the value of each new run
    // arrives.
    beat: { ...WEEK, raisedIf: 'above or gone' },
  };
}
