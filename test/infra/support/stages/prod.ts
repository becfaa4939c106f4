import { WORK_FAILED } from '../../../../shared/domain/metric.ts';
import { haveBundles, type Resource, synthesize, targetOf } from '../synthesize.ts';

/** Options that also change the local stage. */
export const OPTIONS = { region: 'us-east-1', webFirewall: 'true', deployFrom: 'acme/calls' };

await haveBundles();

/**
 * A stage with real data and every option except `costlyAtOnce`, which adds metrics to an alarm: docs/cost.md states
 * the cost of an idle stage without it. Like the other stages of this folder, it is synthesized once for all test
 * files, which share their modules.
 */
export const prod = synthesize('prod', {
  ...OPTIONS,
  publicNames: ['calls.example.com'],
  dashboardUrl: 'https://app.example.com',
  hostedZones: { 'example.com': 'Z0123456789ABCDEF' },
  mailFrom: 'notices@example.com',
  mailIdentity: 'example.com',
  monthlyBudget: 40,
  multiRegionKeys: true,
});

/** Finds the only resource of a kind with this physical name: the stage's prefix and the given one. */
export function prodNamed(type: string, property: string, name: string): Resource {
  const found = prod.ofType(type).filter(({ Properties }) => Properties[property] === `calling-service-prod-${name}`);
  if (found.length !== 1) throw new Error(`${found.length} resources ${name}`);
  return found[0] as Resource;
}

/** Finds the only resource of a kind. */
export function only(type: string): Resource {
  const found = prod.ofType(type);
  if (found.length !== 1) throw new Error(`${found.length} resources of type ${type}`);
  return found[0] as Resource;
}

export const functionNamed = (name: string): Resource => prodNamed('AWS::Lambda::Function', 'FunctionName', name);
export const queueNamed = (name: string): Resource => prodNamed('AWS::SQS::Queue', 'QueueName', name);
export const alarmNamed = (name: string): Resource => prodNamed('AWS::CloudWatch::Alarm', 'AlarmName', name);
export const alarms = (): Resource[] => prod.ofType('AWS::CloudWatch::Alarm');

/** The alarm that only CodeDeploy reads. */
export const rolloutAlarm = (): Resource =>
  alarms().find(({ Properties }) => Properties.MetricName === WORK_FAILED.name) as Resource;

/** Lists the statements of a resource's own policies, which name their resources in a property. */
export const statementsOn = ({ stack, id }: Resource, policyType: string, property: string): object[] =>
  prod
    .ofType(policyType)
    .filter((one) => one.stack === stack && one.Properties[property].some((named: unknown) => targetOf(named) === id))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement);

/** Finds the function that a trigger calls, by its alias or directly. */
export function calledBy(from: Resource, reference: unknown): Resource | undefined {
  const called = prod.named(from, reference);
  return called?.Type === 'AWS::Lambda::Alias' ? prod.named(called, called.Properties.FunctionName) : called;
}
