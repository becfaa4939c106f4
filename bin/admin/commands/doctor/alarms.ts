import { paginateListSubscriptionsByTopic, SNSClient, type Subscription } from '@aws-sdk/client-sns';
import { type Check, type Finding, failed, ok } from './check.ts';
import type { CheckContext } from './check-context.ts';

/** The outputs of the stack `data` that name the topics. */
const topics = { AlarmTopicArn: 'urgent alarms', WarningTopicArn: 'warnings' } as const;

/** Checks that both alarm subscriptions are confirmed. */
export const alarms: Check = {
  name: 'alarms',
  rights: 'sns:ListSubscriptionsByTopic',
  async examine(context) {
    const { alarmEmail } = await context.settings();
    if (alarmEmail === undefined) return [ok('The stage has no alarmEmail: no one is notified of alarms.')];
    const { Outputs = [] } = await context.requireStack('data');
    const client = context.cloud.readOnlyClient(SNSClient);
    return Promise.all(
      Object.entries(topics).map(async ([output, kind]) => {
        const arn = Outputs.find(({ OutputKey }) => OutputKey === output)?.OutputValue ?? '';
        const found: Subscription[] = [];
        for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic({ client }, { TopicArn: arn }))
          found.push(...Subscriptions);
        return assessSubscription(kind, arn, alarmEmail, found, context.aws);
      }),
    );
  },
};

/** Judges whether an address gets the alarms of a topic. */
function assessSubscription(
  kind: string,
  topic: string,
  address: string,
  subscriptions: readonly Subscription[],
  aws: CheckContext['aws'],
): Finding {
  const own = subscriptions.filter(({ Endpoint, Protocol }) => Endpoint === address && Protocol === 'email');
  if (own.some(({ SubscriptionArn }) => SubscriptionArn?.startsWith('arn:'))) return ok(`${address} gets ${kind}.`);
  // Subscribing again resends the link (SNS API, "Subscribe").
  const subscribe = aws(`sns subscribe --protocol email --notification-endpoint ${address} --topic-arn ${topic}`);
  return own.length > 0
    ? failed(
        `${address} has not confirmed its subscription to ${kind}: open the link in the e-mail from AWS, which the command sends again.`,
        subscribe,
      )
    : failed(`${address} does not get ${kind}: it has no subscription.`, subscribe);
}
