import { functionsOf, mentions } from '../support/resources.ts';
import { local } from '../support/stages/local.ts';
import { prod } from '../support/stages/prod.ts';
import type { Resource, Synthesized } from '../support/synthesize.ts';

const kept = [
  'AWS::DynamoDB::GlobalTable',
  'AWS::S3::Bucket',
  'AWS::SecretsManager::Secret',
  'AWS::KMS::Key',
  'AWS::Cognito::UserPool',
];

describe('off the local stage', () => {
  const files = () => prod.ofType('AWS::S3::Bucket').find(({ id }) => id.startsWith('files')) as Resource;
  const lifecycleRules = (): Record<string, unknown>[] => files().Properties.LifecycleConfiguration.Rules;

  it('tables, files, secrets, keys and people survive the deletion of their stack', () => {
    for (const type of kept) {
      expect(prod.ofType(type).length).toBeGreaterThan(0);
      for (const { id, DeletionPolicy, UpdateReplacePolicy } of prod.ofType(type))
        expect([id, DeletionPolicy, UpdateReplacePolicy]).toEqual([id, expect.stringMatching(/^Retain/), 'Retain']);
    }
  });

  it('tables are protected from deletion and have point-in-time recovery', () => {
    const safe = {
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    };
    for (const { id, Properties } of prod.ofType('AWS::DynamoDB::GlobalTable'))
      for (const replica of Properties.Replicas) expect([id, replica]).toEqual([id, expect.objectContaining(safe)]);
  });

  it('the bucket is private, encrypted and versioned, and refuses requests without TLS', () => {
    for (const { Properties } of prod.ofType('AWS::S3::Bucket'))
      expect(Properties).toMatchObject({
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        BucketEncryption: expect.anything(),
        VersioningConfiguration: { Status: 'Enabled' },
      });
    expect(mentions(prod.ofType('AWS::S3::BucketPolicy'), 'aws:SecureTransport')).toBe(true);
  });

  it('the files have a key of their own, which is used once for many objects', () => {
    const [rule] = files().Properties.BucketEncryption.ServerSideEncryptionConfiguration ?? [];
    expect(rule).toMatchObject({
      BucketKeyEnabled: true,
      ServerSideEncryptionByDefault: {
        SSEAlgorithm: 'aws:kms',
        KMSMasterKeyID: { 'Fn::GetAtt': [expect.stringMatching(/^fileskey/), 'Arn'] },
      },
    });
  });

  it('the bucket deletes a removed document of a knowledge base, and a removed long transcript, a day later', () => {
    const rules = lifecycleRules();
    for (const prefix of ['knowledge/', 'reported-transcripts/'])
      expect(rules.filter(({ Prefix }) => Prefix === prefix)).toMatchObject([
        { Status: 'Enabled', NoncurrentVersionExpiration: { NoncurrentDays: 1 } },
      ]);
  });

  it('the bucket removes files after the days in their tag, with former versions a day later', () => {
    const rules = lifecycleRules();
    const tagged = rules.filter(({ TagFilters }) => TagFilters !== undefined);
    expect(tagged).toEqual(
      [7, 30, 90, 180, 365, 730].map((days) => ({
        Id: `kept-${days}-days`,
        Status: 'Enabled',
        TagFilters: [{ Key: 'retention-days', Value: String(days) }],
        ExpirationInDays: days,
        NoncurrentVersionExpiration: { NoncurrentDays: 1 },
      })),
    );
    expect(rules.filter(({ ExpirationInDays }) => ExpirationInDays !== undefined)).toEqual(tagged);
  });

  it('the keys are rotated every year', () => {
    const renewed = { Properties: { EnableKeyRotation: true } };
    expect(prod.ofType('AWS::KMS::Key')).toMatchObject([renewed, renewed, renewed]);
  });

  it('stacks are protected from deletion', () => {
    expect(prod.isProtected).toEqual(prod.stackNames.map(() => true));
    expect(local.isProtected).toEqual(local.stackNames.map(() => false));
  });

  it('callbacks never reach a loopback address', () => {
    const allowed = (app: Synthesized) =>
      functionsOf(app).flatMap(({ Properties }) => Properties.Environment.Variables.ALLOW_LOOPBACK_CALLBACKS ?? []);
    expect(new Set(allowed(prod))).toEqual(new Set(['false']));
    expect(new Set(allowed(local))).toEqual(new Set(['true']));
  });

  it('generated keys are long, and templates contain no secret values', () => {
    for (const { Properties } of prod.ofType('AWS::SecretsManager::Secret')) {
      expect(Properties).not.toHaveProperty('SecretString');
      if (Properties.Name.endsWith('-key'))
        expect(Properties.GenerateSecretString.PasswordLength).toBeGreaterThanOrEqual(43);
    }
  });
});

it('the local stage retains no resources', () => {
  for (const type of kept)
    for (const { id, DeletionPolicy } of local.ofType(type)) expect([id, DeletionPolicy]).toEqual([id, 'Delete']);
});
