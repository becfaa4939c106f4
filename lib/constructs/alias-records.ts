import { AaaaRecord, ARecord, HostedZone, type IAliasRecordTarget, RecordTarget } from 'aws-cdk-lib/aws-route53';
import type { Construct } from 'constructs';
import { zoneOf } from '../own-names.ts';
import type { Stage } from '../stage.ts';

type AliasProps = { name: string; stage: Stage; hasIpv6?: boolean };

/** Creates the alias records of a name of the stage, if the stage has a hosted zone of the name. */
export function createAliasRecords(
  scope: Construct,
  target: IAliasRecordTarget,
  { name, stage, hasIpv6 = false }: AliasProps,
): void {
  const found = zoneOf(stage, name);
  if (!found) return;
  const zone = HostedZone.fromHostedZoneAttributes(scope, `${name}-zone`, found);
  const props = { zone, recordName: `${name}.`, target: RecordTarget.fromAlias(target) };
  new ARecord(scope, `${name}-a`, props);
  if (hasIpv6) new AaaaRecord(scope, `${name}-aaaa`, props);
}
