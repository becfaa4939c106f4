import { differences } from '../../lint/differences.ts';

const queue = { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'try-calls' } };
const topic = { Type: 'AWS::SNS::Topic' };
const rule = (Targets: unknown) => ({ Type: 'AWS::Events::Rule', Properties: { Targets } });
const other = { Resources: { queue, topic } };

it('leaves out the resources that both templates have', () => {
  const changed = { ...topic, Properties: { TopicName: 'alarms' } };
  expect(differences({ Resources: { queue, topic: changed } }, other)).toEqual({ Resources: { topic: changed } });
});

it('finds no difference in names that differ by the stage alone', () => {
  const ofProd = { Resources: { queue: { ...queue, Properties: { QueueName: 'prod-calls' } } } };
  expect(differences({ Resources: { queue } }, ofProd, (text) => text.replace('try-', 'prod-'))).toBeUndefined();
  expect(differences({ Resources: { queue } }, ofProd)).toEqual({ Resources: { queue } });
});

it.each([
  ['Ref', { Ref: 'queue' }],
  ['Fn::GetAtt', { 'Fn::GetAtt': ['queue', 'Arn'] }],
  ['Fn::Sub', { 'Fn::Sub': ['arn:$', '{AWS::Partition}:sqs:::$', '{queue.QueueName}'].join('') }],
])('includes the resources that a changed resource names by %s', (_, target) => {
  const resources = { queue, topic, rule: rule([{ Arn: target }]) };
  expect(differences({ Resources: resources }, other)).toEqual({ Resources: { queue, rule: resources.rule } });
});

it('includes the resources on which a changed resource depends, and the resources that these name', () => {
  const resources = { queue, middle: rule({ Ref: 'queue' }), last: { ...topic, DependsOn: ['middle'] } };
  expect(differences({ Resources: resources }, { Resources: { ...resources, last: topic } })).toEqual({
    Resources: resources,
  });
});

it('includes the parameters and conditions, but no outputs', () => {
  const rest = { Parameters: { Version: {} }, Conditions: { isLarge: {} } };
  const template = { ...rest, Resources: { topic }, Outputs: { queue: { Value: { Ref: 'queue' } } } };
  expect(differences(template, undefined)).toEqual({ ...rest, Resources: { topic } });
});

it('includes every resource of a template that has no counterpart', () => {
  expect(differences({ Resources: { queue, topic } }, undefined)).toEqual({ Resources: { queue, topic } });
});
