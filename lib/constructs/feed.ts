import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnEventSourceMapping, type IEventSource } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { MetricName } from '../../shared/domain/metric.ts';
import { type FunctionName, functionNames, functionRow } from '../functions.ts';
import { names } from '../names.ts';
import type { Stage } from '../stage.ts';
import { Canaries } from './canaries.ts';
import { rolloutAlarm, rolloutOf } from './rollout.ts';
import type { ServiceFunction } from './service-function.ts';

/** Gives a worker the messages of a queue or the changes of a stream. `alarm` rolls back a new version. */
export type Feed = (name: FunctionName, worker: ServiceFunction, source: IEventSource, alarm?: Alarm) => void;

/** Returns whether a function gets its work from a queue or a stream. */
const isFed = (name: FunctionName): boolean => ['queue', 'stream'].includes(functionRow(name).trigger.kind);

/** A failure that repeats do not fix. */
const DOUBLE_DIAL: MetricName = 'DoubleDial';

/** Feeds the workers of a stack, through their aliases if the stage has canaries. */
export function feedOf(scope: Construct, stage: Stage): Feed {
  const canaries = Canaries.for(scope, 'workers', stage);
  if (!canaries) return (_name, worker, source) => worker.addEventSource(source);
  const rollout = rolloutOf(functionNames.filter(isFed), stage);
  const shared = [rolloutAlarm(scope, rollout, stage), names(stage.name).alarm(DOUBLE_DIAL)];
  return (name, worker, source, alarm) => {
    worker.addEnvironment('ROLLOUT', rollout);
    worker.addEventSource(source);
    const alias = canaries.aliasOf(name, worker, [...(alarm ? [alarm] : []), ...shared]);
    // The alias's own method would give the mapping another logical id, and CloudFormation would make a second one.
    for (const part of worker.node.findAll())
      if (part instanceof CfnEventSourceMapping) part.functionName = alias.functionArn;
  };
}
