import { DeleteStackCommand, ListStacksCommand } from '@aws-sdk/client-cloudformation';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import { CreateQueueCommand, DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { untilNoError } from '../../support/runner/until-no-error.ts';
import { arn, CREDENTIALS, lambda, queue, role } from '../support/stack.ts';
import { TestCloud } from '../support/test-cloud.ts';

const ACCOUNT = '000000000000';
/** Far below a minute, so that no other schedule is due. Only a failing test waits the full time. */
const SOON_SECONDS = 15;

let cloud: TestCloud;
let roleArn: string;
beforeAll(async () => {
  cloud = await TestCloud.start();
  const { Role } = await cloud.deploy('scheduler', { Role: role('scheduler.amazonaws.com') });
  roleArn = `arn:aws:iam::${ACCOUNT}:role/${Role}`;
});
afterEach(() => cloud.moveClock(0));
afterAll(() => cloud?.stop());

const queueArn = (name: string) => `arn:aws:sqs:us-east-1:${ACCOUNT}:${name}`;

/** Creates a queue called `name`. @returns its URL. */
async function createQueue(name: string): Promise<string> {
  const { QueueUrl = '' } = await cloud.sqs.send(new CreateQueueCommand({ QueueName: name }));
  return QueueUrl;
}

/** A schedule that sends its own name to a queue. */
function schedule(Name: string, to: string, more: Partial<CreateScheduleCommandInput>): CreateScheduleCommandInput {
  return {
    Name,
    ScheduleExpression: 'rate(1 minute)',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: { Arn: queueArn(to), RoleArn: roleArn, Input: Name },
    ...more,
  };
}

const create = (input: CreateScheduleCommandInput) => cloud.scheduler.send(new CreateScheduleCommand(input));
const remove = (Name: string) => cloud.scheduler.send(new DeleteScheduleCommand({ Name }));

/** The local time of a time zone, `seconds` from now, in the format of at(). */
function wallClock(zone: string, seconds: number): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  return format.format(Date.now() + 1000 * seconds).replace(' ', 'T');
}

test('a moved clock ends the delay of a message', async () => {
  const url = await createQueue('delayed');
  await cloud.send(url, 'later', 600);
  expect(await cloud.receive(url, 0)).toEqual([]);
  await cloud.moveClock(601);
  expect(await cloud.receive(url, SOON_SECONDS)).toEqual(['later']);
});

test('a rule that is due runs within seconds, each time', async () => {
  const refs = await cloud.deploy('rule', {
    Queue: queue(),
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: { ScheduleExpression: 'rate(1 minute)', Targets: [{ Id: 'q', Arn: arn('Queue'), Input: '"due"' }] },
    },
  });
  // The emulator measures the interval from its first check of the rule, which it makes within a second.
  let seconds = 0;
  let first = await cloud.receive(refs.Queue ?? '', 2);
  while (seconds < 610 && first.length === 0) {
    seconds += 61;
    await cloud.moveClock(seconds);
    first = await cloud.receive(refs.Queue ?? '', SOON_SECONDS);
  }
  expect(first).toEqual(['"due"']);
  for (const later of [61, 122, 183]) {
    await cloud.moveClock(seconds + later);
    expect(await cloud.receive(refs.Queue ?? '', SOON_SECONDS)).toEqual(['"due"']);
  }
});

test('a schedule that is due runs within seconds, each time', async () => {
  const url = await createQueue('due');
  await create(schedule('due', 'due', {}));
  for (const seconds of [61, 122, 183]) {
    await cloud.moveClock(seconds);
    expect(await cloud.receive(url, SOON_SECONDS)).toContain('due');
  }
  await remove('due');
});

test.each(['Asia/Kolkata', 'America/New_York'])('at() and cron() use the local time of %s', async (zone) => {
  const name = zone.replace(/\W|_/g, '-');
  const url = await createQueue(name);
  const [date = '', time = ''] = wallClock(zone, 1800).split('T');
  const [hour, minute] = time.split(':').map(Number);
  const [, month, day] = date.split('-').map(Number);
  const cron = `cron(${minute} ${hour} ${day} ${month} ? *)`;
  await create(schedule('at', name, { ScheduleExpression: `at(${date}T${time})`, ScheduleExpressionTimezone: zone }));
  await create(schedule('cron', name, { ScheduleExpression: cron, ScheduleExpressionTimezone: zone }));
  try {
    await cloud.moveClock(1700);
    expect(await cloud.receive(url, 2)).toEqual([]);
    await cloud.moveClock(1860);
    const bodies = await cloud.receive(url, SOON_SECONDS);
    if (bodies.length < 2) bodies.push(...(await cloud.receive(url, SOON_SECONDS)));
    expect(bodies.sort()).toEqual(['at', 'cron']);
  } finally {
    await remove('at');
    await remove('cron');
  }
});

test.each([
  ['a name that is too long', { Name: 'a'.repeat(65) }],
  ['an unknown time zone', { ScheduleExpressionTimezone: 'Asia/Atlantis' }],
  ['an invalid expression', { ScheduleExpression: 'soon' }],
  ['an invalid date', { ScheduleExpression: 'at(2026-13-01T00:00:00)' }],
])('a schedule with %s is refused', async (_what, wrong) => {
  await expect(create(schedule('wrong', 'nowhere', wrong))).rejects.toThrow(
    expect.objectContaining({ name: 'ValidationException' }),
  );
});

test('a repeated creation is a no-op with the same token and a conflict with another', async () => {
  const once = schedule('once', 'nowhere', { ClientToken: 'a' });
  const first = await create(once);
  expect((await create(once)).ScheduleArn).toBe(first.ScheduleArn);
  await expect(create({ ...once, ClientToken: 'b' })).rejects.toThrow(
    expect.objectContaining({ name: 'ConflictException' }),
  );
});

test('a one-time schedule runs again after it is updated to another time', async () => {
  const url = await createQueue('again');
  const at = (seconds: number) =>
    schedule('again', 'again', { ScheduleExpression: `at(${wallClock('UTC', seconds)})` });
  await create(at(600));
  await cloud.moveClock(601);
  expect(await cloud.receive(url, SOON_SECONDS)).toEqual(['again']);
  await cloud.scheduler.send(new UpdateScheduleCommand(at(1200)));
  await cloud.moveClock(1201);
  expect(await cloud.receive(url, SOON_SECONDS)).toEqual(['again']);
});

test('the attributes of a schedule in its input are replaced', async () => {
  const url = await createQueue('attributes');
  const due = wallClock('UTC', 600);
  const Input = JSON.stringify({
    arn: '<aws.scheduler.schedule-arn>',
    time: '<aws.scheduler.scheduled-time>',
    id: '<aws.scheduler.execution-id>',
    attempt: '<aws.scheduler.attempt-number>',
  });
  const Target = { Arn: queueArn('attributes'), RoleArn: roleArn, Input };
  const { ScheduleArn } = await create(schedule('filled', 'attributes', { ScheduleExpression: `at(${due})`, Target }));
  await cloud.moveClock(601);
  const [body = '{}'] = await cloud.receive(url, SOON_SECONDS);
  expect(JSON.parse(body)).toEqual({
    arn: ScheduleArn,
    time: `${due}Z`,
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    attempt: '1',
  });
});

test("an event whose target does not exist reaches the target's dead-letter queue", async () => {
  const refs = await cloud.deploy('gone', {
    Target: queue(),
    Dead: queue(),
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: {
        EventPattern: { source: ['test'] },
        Targets: [{ Id: 'q', Arn: arn('Target'), DeadLetterConfig: { Arn: arn('Dead') } }],
      },
    },
  });
  await cloud.sqs.send(new DeleteQueueCommand({ QueueUrl: refs.Target ?? '' }));
  const event = { Source: 'test', DetailType: 'call.finished', Detail: '{"call_id":"c1"}' };
  await cloud.events.send(new PutEventsCommand({ Entries: [event] }));
  const bodies = (await cloud.receive(refs.Dead ?? '', SOON_SECONDS)).map((body) => JSON.parse(body));
  expect(bodies).toMatchObject([{ 'detail-type': 'call.finished', detail: { call_id: 'c1' } }]);
});

test('a role for schedules of its own group may create them only in that group', async () => {
  const own = `arn:aws:scheduler:us-east-1:${ACCOUNT}:schedule/own/*`;
  await cloud.deploy('groups', {
    Own: { Type: 'AWS::Scheduler::ScheduleGroup', Properties: { Name: 'own' } },
    Other: { Type: 'AWS::Scheduler::ScheduleGroup', Properties: { Name: 'other' } },
    ...lambda('scheduling', CREDENTIALS, {
      statements: [
        { Effect: 'Allow', Action: 'scheduler:*', Resource: own },
        { Effect: 'Allow', Action: 'iam:PassRole', Resource: '*' },
      ],
    }),
  });
  const asFunction = new SchedulerClient(await cloud.configOf('scheduling'));
  const inGroup = (GroupName: string) => schedule('grouped', 'nowhere', { GroupName });

  await asFunction.send(new CreateScheduleCommand(inGroup('own')));
  await asFunction.send(new DeleteScheduleCommand({ Name: 'grouped', GroupName: 'own' }));
  for (const group of ['other', 'default']) {
    await expect(asFunction.send(new CreateScheduleCommand(inGroup(group)))).rejects.toThrow(
      expect.objectContaining({ name: 'AccessDeniedException' }),
    );
  }
});

test('a group of schedules exists for a while after its deletion, and blocks only a new one of its name', async () => {
  const group = (properties: object = {}) => ({
    Group: { Type: 'AWS::Scheduler::ScheduleGroup', Properties: properties },
  });
  const remove = async (stack: string) => {
    await cloud.cloudFormation.send(new DeleteStackCommand({ StackName: stack }));
    await untilNoError(async () => {
      const { StackSummaries = [] } = await cloud.cloudFormation.send(new ListStacksCommand({}));
      expect(StackSummaries.filter(({ StackName }) => StackName === stack).at(-1)?.StackStatus).toBe('DELETE_COMPLETE');
    });
  };
  const withSchedule = async (stack: string, resources: ReturnType<typeof group>) => {
    const { Group = '' } = await cloud.deploy(stack, resources);
    await create(schedule('one', 'nowhere', { GroupName: Group }));
    await remove(stack);
    return Group;
  };
  await withSchedule('named-group', group({ Name: 'fixed' }));
  await expect(cloud.deploy('named-group-2', group({ Name: 'fixed' }))).rejects.toThrow('is being deleted');
  const first = await withSchedule('generated-group', group());
  const { Group } = await cloud.deploy('generated-group-2', group());
  expect([Group === first, Group?.startsWith('generated-group-2-Group-')]).toEqual([false, true]);
});
