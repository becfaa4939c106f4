import { type FunctionName, functionNames } from '../../../lib/functions.ts';
import { functionsOf, mentions } from '../support/resources.ts';
import { allowing, allRights, type Right, rightsIn, rightsOf, rightsOfRole, whoMay } from '../support/rights.ts';
import { local } from '../support/stages/local.ts';
import { prod } from '../support/stages/prod.ts';

describe('permissions', () => {
  it('name every action', () => {
    expect(allRights.length).toBeGreaterThan(functionNames.length);
    for (const { id, actions, effect } of allRights)
      for (const action of actions)
        expect([id, effect, action]).toEqual([id, 'Allow', expect.stringMatching(/^[a-z0-9-]+:[A-Za-z]+$/)]);
  });

  it('name their resource', () => {
    const everywhere = allRights.filter(({ resources }) => resources.includes('"*"'));
    expect(everywhere.flatMap(({ actions }) => actions)).toEqual([]);
  });

  it('never include scanning or deleting tables', () => {
    for (const forbidden of ['dynamodb:Scan', 'dynamodb:DeleteTable'])
      expect(allowing(allRights, forbidden)).toEqual([]);
  });

  it('to pass a role and to create schedules belong, with conditions, to the functions that send delayed messages', () => {
    const scheduling = ['iam:PassRole', 'scheduler:CreateSchedule'];
    expect(whoMay(/^(iam|scheduler|sts):/)).toEqual({
      'notify-callback': scheduling,
      'schedule-release': scheduling,
      'create-ticket': scheduling,
    });
    for (const { condition } of allowing(allRights, 'iam:PassRole'))
      expect(condition).toEqual({ StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } });
  });

  it("to create schedules cover only the group of the function's queue", () => {
    const groupsOf = (name: FunctionName) =>
      allowing(rightsOf(name), 'scheduler:CreateSchedule').map(
        ({ resources }) => /:scheduler:.*OutputRef([a-z]+)schedules.*"\/\*"/.exec(resources)?.[1],
      );
    for (const [name, group] of [
      ['notify-callback', 'callbacks'],
      ['schedule-release', 'releases'],
      ['create-ticket', 'tickets'],
    ] as const)
      expect([name, groupsOf(name)]).toEqual([name, [group]]);
  });

  it('to unseal secrets belong to the functions that sign callbacks or connect to a CRM for an organization', () => {
    const tokens = ['kms:Decrypt', 'kms:Encrypt'];
    const sealing = (name: FunctionName) =>
      rightsOf(name)
        .filter(({ condition }) => !mentions(condition ?? {}, 'kms:ViaService'))
        .flatMap(({ actions }) => actions.filter((action) => action.startsWith('kms:')))
        .toSorted();
    const may = functionNames.map((name) => [name, sealing(name)] as const).filter(([, actions]) => actions.length > 0);
    expect(Object.fromEntries(may)).toEqual({
      'notify-callback': ['kms:Decrypt'],
      'reveal-callback-secret': ['kms:Decrypt'],
      'rotate-callback-secret': ['kms:Encrypt'],
      'connect-crm-b': tokens,
      'connect-help-desk': tokens,
      'process-lead': tokens,
      'dial-call': tokens,
      'sync-crm-b': tokens,
      'create-ticket': tokens,
      'renew-watch-channels': tokens,
      'check-watch-channels': tokens,
      'check-connections': ['kms:Decrypt'],
      'sunday-sweep': tokens,
      'explain-lead': ['kms:Decrypt'],
      'update-connection': tokens,
      'disconnect-connection': tokens,
      'replace-token': tokens,
      'confirm-consent': tokens,
      'refuse-consent': ['kms:Decrypt'],
      'list-choices': tokens,
    });
  });

  it('to read the key of erased numbers belong to the functions that use the do-not-call list', () => {
    const using = (actions: RegExp, resources: RegExp) =>
      functionNames.filter((name) =>
        rightsOf(name).some(
          (right) => right.actions.some((one) => actions.test(one)) && resources.test(right.resources),
        ),
      );
    const readers = using(/^secretsmanager:/, /do-not-call-key/);
    expect(readers).toHaveLength(13);
    expect(readers).toEqual(using(/^dynamodb:/, /tabledonotcall/i));
    expect(using(/^secretsmanager:/, /person-key/)).toEqual([]);
  });

  it('of explain-lead only read, so that an explanation changes no data', () => {
    const actions = rightsOf('explain-lead').flatMap((right) => right.actions);
    expect(actions.length).toBeGreaterThan(5);
    const reading = /^(dynamodb:(GetItem|BatchGetItem|Query)|kms:Decrypt|secretsmanager:GetSecretValue|logs:\w+)$/;
    expect(actions.filter((action) => !reading.test(action))).toEqual([]);
  });

  it('to act in the user pool belong to the routes of sessions and members, one pool each', () => {
    const signingIn = ['cognito-idp:AdminInitiateAuth'];
    expect(whoMay(/^cognito/)).toEqual({
      'sign-in': [...signingIn, 'cognito-idp:AdminRespondToAuthChallenge'],
      'refresh-session': signingIn,
      'sign-out': signingIn,
      'reset-password': ['cognito-idp:AdminUserGlobalSignOut'],
      'invite-member': ['cognito-idp:AdminCreateUser', 'cognito-idp:AdminGetUser'],
      'remove-member': ['cognito-idp:AdminDeleteUser'],
    });
    for (const { resources } of allRights.filter(({ actions }) => actions.some((action) => /^cognito/.test(action))))
      expect(resources).toMatch(/people/);
  });

  it('to send e-mails belong to send-notices, only as the stage’s sender, and send-notices writes only notices', () => {
    expect(whoMay(/^ses:/)).toEqual({ 'send-notices': ['ses:SendEmail'] });
    const [sending] = allowing(rightsOf('send-notices'), 'ses:SendEmail');
    expect(sending?.resources.match(/identity\/[^"]+/g)).toEqual([
      'identity/notices@example.com',
      'identity/example.com',
    ]);
    expect(sending?.condition).toEqual({ StringEquals: { 'ses:FromAddress': 'notices@example.com' } });
    const reading = /:(GetItem|BatchGetItem|Query)$/;
    const writing = rightsOf('send-notices').flatMap(({ actions, resources }) =>
      actions
        .filter((action) => action.startsWith('dynamodb:') && !reading.test(action))
        .map((action) => [action, /tablenotices/i.test(resources)]),
    );
    expect(writing).toEqual([['dynamodb:PutItem', true]]);
  });

  it('to send e-mails exist on no stage without a sender', () => {
    const policies = rightsIn(local.ofType('AWS::IAM::Policy'));
    expect(policies.flatMap(({ actions }) => actions)).not.toContain('ses:SendEmail');
    const senders = functionsOf(local).filter(({ Properties }) => 'MAIL_FROM' in Properties.Environment.Variables);
    expect(senders).toEqual([]);
  });

  it('to use the files’ key match the rights to their objects, and only through S3', () => {
    const of = (rights: readonly Right[], pattern: RegExp) =>
      rights.flatMap(({ actions }) => actions.filter((action) => pattern.test(action)));
    for (const name of functionNames) {
      const rights = rightsOf(name);
      const onObjects = of(rights, /^s3:/);
      const reads = onObjects.some((action) => /GetObject|AbortMultipartUpload/.test(action));
      const puts = onObjects.includes('s3:PutObject');
      const throughKey = rights.filter(({ resources }) => /fileskey/.test(resources));
      expect([name, new Set(of(throughKey, /./))]).toEqual([
        name,
        new Set([...(reads ? ['kms:Decrypt'] : []), ...(puts ? ['kms:GenerateDataKey'] : [])]),
      ]);
      for (const { condition } of throughKey)
        expect([name, condition]).toEqual([
          name,
          {
            StringEquals: {
              'kms:ViaService': 's3.us-east-1.amazonaws.com',
              'kms:EncryptionContext:aws:s3:arn': expect.anything(),
            },
          },
        ]);
    }
  });

  it('to delete files cover the texts of knowledge bases, and transcripts where workers store them', () => {
    expect(whoMay(/^s3:DeleteObject/)).toEqual({
      'add-knowledge': ['s3:DeleteObject'],
      'apply-voice-event': ['s3:DeleteObject', 's3:DeleteObject'],
      'delete-assistant': ['s3:DeleteObject'],
      'recover-calls': ['s3:DeleteObject'],
      'remove-knowledge': ['s3:DeleteObject'],
      'upload-knowledge': ['s3:DeleteObject'],
    });
    for (const { resources } of allowing(allRights, 's3:DeleteObject'))
      expect(resources).toMatch(/(knowledge|transcripts)\/\*/);
  });

  it('to tag files for a lifecycle rule belong to the functions that store them', () => {
    expect(Object.keys(whoMay(/^s3:PutObjectTagging/)).sort()).toEqual(
      ['apply-voice-event', 'finish-call', 'recover-calls'].sort(),
    );
    for (const { resources } of allowing(allRights, 's3:PutObjectTagging'))
      expect(resources).toMatch(/(transcripts|recordings)\/\*/);
  });

  it('to invoke a function belong only to its route or its schedule', () => {
    const permissions = prod.ofType('AWS::Lambda::Permission');
    expect(permissions.length).toBeGreaterThan(0);
    for (const { Properties } of permissions) {
      expect(['apigateway.amazonaws.com', 'events.amazonaws.com']).toContain(Properties.Principal);
      expect(Properties.SourceArn).toBeDefined();
    }
  });

  it("of a queue's schedules only allow sending messages to this queue, for this account", () => {
    const roles = prod
      .ofType('AWS::IAM::Role')
      .filter(({ Properties }) => mentions(Properties, 'scheduler.amazonaws.com'));
    const granted = roles.flatMap((role) =>
      rightsOfRole(role).map(({ actions, resources }) => [
        prod.named(role, JSON.parse(resources))?.Properties.QueueName.replace('calling-service-prod-', ''),
        actions.toSorted(),
      ]),
    );
    const sending = ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl', 'sqs:SendMessage'];
    expect(granted).toEqual(['callbacks', 'releases', 'tickets'].map((queue) => [queue, sending]));
    for (const { Properties } of roles)
      expect(Properties.AssumeRolePolicyDocument.Statement[0].Condition).toEqual({
        StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
      });
  });
});
