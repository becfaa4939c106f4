import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { DynamoEventSource, SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Construct } from 'constructs';
import { type Resources, ServiceFunction } from '../constructs/service-function.ts';
import { DeadLetterQueue } from '../constructs/work-queue.ts';
import { type FunctionName, functionNames, functionRow, type Trigger } from '../functions.ts';
import { names } from '../names.ts';

const STREAM_RETRIES = 5;
const STREAM_RECORD_AGE = Duration.hours(6);
const OLDEST_RECORD = Duration.minutes(1);
const SCHEDULE_RETRIES = 2;

/** The functions that work behind the API: on queues, on the stream of calls, by schedule. */
export class WorkersStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { stage, data, messaging, publicUrl, ...props }: StackProps & Required<Resources>,
  ) {
    super(scope, id, props);
    const resources = { stage, data, messaging, publicUrl };
    for (const name of functionNames) {
      const { trigger } = functionRow(name);
      if (trigger.kind !== 'http') this.#start(name, trigger, resources);
    }
  }

  #start(name: FunctionName, trigger: Exclude<Trigger, { kind: 'http' }>, resources: Required<Resources>): void {
    const { data, messaging, stage } = resources;
    const named = names(stage.name);
    const worker = new ServiceFunction(this, name, resources);
    switch (trigger.kind) {
      case 'queue':
        worker.addEventSource(
          new SqsEventSource(messaging.queues[trigger.queue], {
            batchSize: trigger.batchSize,
            maxConcurrency: trigger.maxConcurrency,
            reportBatchItemFailures: true,
          }),
        );
        return;
      case 'stream':
        worker.addEventSource(
          new DynamoEventSource(data.tables[trigger.table], {
            startingPosition: StartingPosition.TRIM_HORIZON,
            batchSize: 100,
            retryAttempts: STREAM_RETRIES,
            maxRecordAge: STREAM_RECORD_AGE,
            bisectBatchOnError: true,
            reportBatchItemFailures: true,
            onFailure: new SqsDlq(messaging.streamFailures),
          }),
        );
        worker
          .metric('IteratorAge', { period: Duration.minutes(1), statistic: 'Maximum' })
          .createAlarm(worker, 'iterator-age-alarm', {
            alarmName: `${named.function(name)}-iterator-age`,
            alarmDescription: `Changes of ${trigger.table} wait for more than a minute. docs/runbooks/alarms.md, "The stream lags".`,
            threshold: OLDEST_RECORD.toMilliseconds(),
            comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
            evaluationPeriods: 3,
            treatMissingData: TreatMissingData.NOT_BREACHING,
          })
          .addAlarmAction(new SnsAction(data.alarms));
        return;
      case 'schedule': {
        // In this stack, because it must know the rule that may put messages on it.
        const failures = new DeadLetterQueue(this, `${name}-failures`, { named, alarms: data.alarms, of: name }).queue;
        // EventBridge only starts it: what becomes of a failed run is Lambda's, and the next run is the better retry.
        worker.configureAsyncInvoke({
          retryAttempts: 0,
          maxEventAge: Duration.minutes(trigger.everyMinutes),
          onFailure: new SqsDestination(failures),
        });
        new Rule(this, `${name}-schedule`, {
          description: `every ${trigger.everyMinutes} minutes -> ${name}`,
          schedule: Schedule.rate(Duration.minutes(trigger.everyMinutes)),
          targets: [
            new LambdaFunction(worker, {
              deadLetterQueue: failures,
              retryAttempts: SCHEDULE_RETRIES,
              maxEventAge: Duration.minutes(trigger.everyMinutes),
            }),
          ],
        });
      }
    }
  }
}
