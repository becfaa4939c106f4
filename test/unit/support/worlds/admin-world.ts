import type { Cloud } from '../../../../bin/admin/cloud/cloud.ts';
import { names } from '../../../../lib/names.ts';
import { type Ran, runCollected } from '../../../support/admin/admin.ts';
import type { Contents } from './database.ts';
import { aWorld } from './world.ts';

export const RAVI = 'arn:aws:iam::123456789012:user/ravi';

type Answers = Readonly<Record<string, object>>;

/** The commands that AWS services get besides DynamoDB, with answers by their names. An error is thrown. */
function services(answers: Answers) {
  const sent: string[] = [];
  const client = {
    send: async (command: object) => {
      const name = command.constructor.name.replace(/Command$/, '');
      sent.push(name);
      const answer = answers[name];
      if (!answer) throw new Error(`no answer to ${name}`);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return { sent, client };
}

/**
 * The operators' command line on the real stores, without a cloud.
 * @param answers of the AWS services, by the name of the command
 * @param helpDeskUrl of the stage's help desk
 */
export function adminWorld(contents: Contents, answers: Answers = {}, helpDeskUrl?: string) {
  const world = aWorld(contents);
  const { sent, client } = services(answers);
  const queued: string[] = [];
  const queue = { send: async () => void queued.push('lead'), sendMany: async () => void queued.push('leads') };
  const cloud = {
    ...world.common,
    oauthStates: world.stores.states,
    place: { stage: 'test', region: 'us-east-1', emulatorUrl: 'http://127.0.0.1:1' },
    named: names('test'),
    operator: async () => ({ kind: 'operator', name: 'ravi', arn: RAVI }),
    publicUrl: async () => 'https://svc.example',
    dashboardUrl: async () => 'https://svc.example',
    userPoolId: async () => 'pool-1',
    filesBucket: async () => 'files',
    defaultRetention: async () => ({}),
    oauthSettings: async () => ({ hosts: {}, helpDeskUrl, helpDeskScopes: 'HB.basic.READ' }),
    seal: async (_orgId: string, secret: string) => `sealed ${secret.length}`,
    unseal: async () => 'whsec_old',
    cognito: client,
    sqs: client,
    cloudWatch: client,
    secrets: client,
    lambda: client,
    invocationClient: () => client,
    s3: () => client,
    queueUrl: async (name: string) => `https://sqs.example/${name}`,
    leadQueue: async () => queue,
    dials: async () => ({ send: async () => void queued.push('dial') }),
    handOverSlots: async () => void queued.push('slots'),
    voiceUrl: 'http://127.0.0.1:1',
  } as unknown as Cloud;
  return Object.assign(world, {
    sent,
    queued,
    /** Runs a command, whose values contain no blanks. */
    admin: (command: string, input?: string): Promise<Ran> =>
      runCollected([...command.split(' '), '--json'], {
        cloud,
        ...(input !== undefined && { input }),
      }),
    /** Runs a command as in a terminal. */
    atTerminal: (command: string): Promise<Ran> => runCollected(command.split(' '), { cloud }),
  });
}
