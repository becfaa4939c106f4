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

/** Lets a worker consume a queue or a stream. `alarm` rolls back a new version of the worker. */
export type AddEventSource = (name: FunctionName, worker: ServiceFunction, source: IEventSource, alarm?: Alarm) => void;

/** Returns whether a function gets its work from a queue or a stream. */
const hasEventSource = (name: FunctionName): boolean => ['queue', 'stream'].includes(functionRow(name).trigger.kind);

/** A failure that no retry fixes, so its alarm rolls back the new version of every worker. */
const DOUBLE_DIAL: MetricName = 'DoubleDial';

/**
 * Returns a function that adds event sources to the workers of a stack, through their aliases if the stage has
 * canaries.
 */
export function eventSourceAdder(scope: Construct, stage: Stage): AddEventSource {
  const canaries = Canaries.for(scope, 'workers', stage);
  if (!canaries) return (_name, worker, source) => worker.addEventSource(source);
  const rollout = rolloutOf(functionNames.filter(hasEventSource), stage);
  const shared = [rolloutAlarm(scope, rollout, stage), names(stage.name).alarm(DOUBLE_DIAL)];
  return (name, worker, source, alarm) => {
    worker.addEnvironment('ROLLOUT', rollout);
    worker.addEventSource(source);
    const alias = canaries.aliasOf(name, worker, [...(alarm ? [alarm] : []), ...shared]);
    // `alias.addEventSource` would give the mapping another logical id, and CloudFormation would create a second one.
    for (const part of worker.node.findAll())
      if (part instanceof CfnEventSourceMapping) part.functionName = alias.functionArn;
  };
}
