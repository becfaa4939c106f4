import { ACMClient, type CertificateDetail, DescribeCertificateCommand } from '@aws-sdk/client-acm';
import { CloudFormationClient, DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import {
  type CertificatesPart,
  CREATE,
  dashboardNameOf,
  requestedCertificates,
  type Zone,
  zoneOf,
} from '../../../../lib/own-names.ts';
import type { Stage } from '../../../../lib/stage.ts';
import { otherRegionOf } from '../../cloud/failed-stacks.ts';
import { causeOf } from '../../failures.ts';
import { type Check, type Finding, failed, findingsOr, ok, warning } from './check.ts';
import type { CheckContext } from './check-context.ts';

/** AWS renews 60 days before the end (ACM guide, "Managed certificate renewal"): at 30 days, a renewal has failed. */
const RENEWED_DAYS = 30;
const DAY_MS = 86_400_000;

/** A name of the stage with its certificate, or with the stack that requests it. */
type OwnName = { name: string } & ({ arn: string } | { part: CertificatesPart; zone: Zone | undefined });

/** Checks the certificates of the stage's own names. */
export const certificates: Check = {
  name: 'certificates',
  rights: 'acm:DescribeCertificate and cloudformation:DescribeStackResources',
  async examine(context) {
    const names = namesOf(await context.settings());
    if (names.length === 0) return [ok('The stage has no names of its own.')];
    const findings = await Promise.all(names.map((own) => examineName(context, own)));
    return findingsOr(findings.flat(), `The certificates of ${names.map(({ name }) => name).join(', ')} are issued.`);
  },
};

function namesOf(settings: Stage): OwnName[] {
  const { publicNames = {}, dashboardCertificate } = settings;
  const dashboard = dashboardNameOf(settings);
  const requested = Object.entries(requestedCertificates(settings)) as [CertificatesPart, string[]][];
  return [
    ...Object.entries(publicNames).flatMap(([name, arn]) => (arn === CREATE ? [] : [{ name, arn }])),
    ...(dashboard && dashboardCertificate ? [{ name: dashboard, arn: dashboardCertificate }] : []),
    ...requested.flatMap(([part, names]) => names.map((name) => ({ name, part, zone: zoneOf(settings, name) }))),
  ];
}

async function examineName(context: CheckContext, own: OwnName): Promise<Finding[]> {
  const { name } = own;
  const now = context.cloud.now();
  if ('arn' in own) {
    const detail = await describe(context, own.arn);
    if (detail) return assessCertificate(name, { ...detail, CertificateArn: own.arn }, now);
    return [failed(`The certificate of ${name} does not exist.`, request(name, regionOf(own.arn)))];
  }
  const again = `npx cdk deploy ${own.part} -c stage=${context.cloud.place.stage}`;
  const found = await requestedIn(context, own.part);
  const detail = found.find(({ DomainName }) => DomainName === name);
  return detail
    ? assessCertificate(name, detail, now, own.zone, again)
    : [warning(`The certificate of ${name} is not requested yet.`, again)];
}

/** Reads the certificates of a stack, which exist before its deployment has ended. */
async function requestedIn(context: CheckContext, part: CertificatesPart) {
  const { [part]: stack } = await context.stacks();
  if (!stack) return [];
  const region = otherRegionOf(part);
  const client = context.cloud.readOnlyClient(CloudFormationClient, region ? { region } : {});
  const StackName = context.cloud.named.stack(part);
  const { StackResources = [] } = await client.send(new DescribeStackResourcesCommand({ StackName }));
  const arns = StackResources.flatMap(({ ResourceType, PhysicalResourceId, ResourceStatus }) =>
    ResourceType === 'AWS::CertificateManager::Certificate' && ResourceStatus !== 'DELETE_COMPLETE'
      ? PhysicalResourceId || []
      : [],
  );
  const details = await Promise.all(
    arns.map(async (CertificateArn) => {
      const detail = await describe(context, CertificateArn);
      return detail ? [{ ...detail, CertificateArn }] : [];
    }),
  );
  return details.flat();
}

/** @returns undefined if the certificate does not exist. */
async function describe(
  { cloud }: CheckContext,
  CertificateArn: string,
): Promise<Partial<CertificateDetail> | undefined> {
  try {
    const client = cloud.readOnlyClient(ACMClient, { region: regionOf(CertificateArn) });
    return (await client.send(new DescribeCertificateCommand({ CertificateArn }))).Certificate ?? {};
  } catch (error) {
    if (!(error instanceof Error) || causeOf(error) !== 'not_found') throw error;
    return undefined;
  }
}

const regionOf = (arn: string): string => arn.split(':')[3] ?? '';

const request = (name: string, region: string): string =>
  `aws acm request-certificate --domain-name ${name} --validation-method DNS --region ${region}`;

/**
 * Judges the certificate of a name.
 * @param zone of Route 53, in which the deployment writes the name's records. @param again the command for a new
 * certificate.
 */
export function assessCertificate(
  name: string,
  detail: Partial<CertificateDetail>,
  now: Date,
  zone?: Zone,
  again = request(name, regionOf(detail.CertificateArn ?? '')),
): Finding[] {
  const { Status, NotAfter, DomainName = name, SubjectAlternativeNames = [DomainName] } = detail;
  if (Status === 'PENDING_VALIDATION')
    return [
      failed(`The certificate of ${name} waits for the DNS record that proves the name.`, howToProve(detail, zone)),
    ];
  if (Status !== 'ISSUED') return [failed(`The certificate of ${name} is ${Status}.`, again)];
  const wildcard = name.replace(/^[^.]+/, '*');
  if (!SubjectAlternativeNames.some((known) => known === name || known === wildcard))
    return [
      failed(`The certificate of ${name} was issued for other names: ${SubjectAlternativeNames.join(', ')}.`, again),
    ];
  const days = NotAfter ? Math.floor((NotAfter.getTime() - now.getTime()) / DAY_MS) : RENEWED_DAYS;
  return days < RENEWED_DAYS
    ? [
        warning(
          `The certificate of ${name} ends in ${days} days and was not renewed: its DNS record is gone.`,
          howToProve(detail),
        ),
      ]
    : [];
}

/** ACM returns the record only some seconds after the request. Until then, returns the command that reads it. */
function howToProve({ CertificateArn = '', DomainValidationOptions = [] }: Partial<CertificateDetail>, zone?: Zone) {
  const open = DomainValidationOptions.find(({ ResourceRecord }) => ResourceRecord !== undefined)?.ResourceRecord;
  if (!open)
    return `aws acm describe-certificate --certificate-arn ${CertificateArn} --region ${regionOf(CertificateArn)} --query Certificate.DomainValidationOptions`;
  const record = `${open.Name} ${open.Type} ${open.Value}`;
  return zone
    ? `The deployment sets ${record}. If that takes longer than an hour, the name servers of ${zone.zoneName} are not those of the hosted zone ${zone.hostedZoneId}.`
    : `Set the DNS record ${record}`;
}
