import { ACMClient, type CertificateDetail, DescribeCertificateCommand } from '@aws-sdk/client-acm';
import { causeOf } from '../../failures.ts';
import { type Check, type Finding, failed, findingsOr, ok, warning } from './check.ts';

/** AWS renews 60 days before the end (ACM guide, "Managed certificate renewal"): later, a renewal has failed. */
const RENEWED_DAYS = 30;
const DAY_MS = 86_400_000;

/** Checks the certificates of the stage's own names. */
export const certificates: Check = {
  name: 'certificates',
  rights: 'acm:DescribeCertificate',
  async examine({ cloud, settings }) {
    const { publicNames = {}, dashboardUrl, dashboardCertificate } = await settings();
    const names = Object.entries(publicNames);
    if (dashboardUrl && dashboardCertificate) names.push([new URL(dashboardUrl).hostname, dashboardCertificate]);
    if (names.length === 0) return [ok('The stage has no names of its own.')];
    const findings = await Promise.all(
      names.map(async ([name, CertificateArn]) => {
        const region = CertificateArn.split(':')[3] ?? '';
        try {
          const client = cloud.looking(ACMClient, { region });
          const { Certificate } = await client.send(new DescribeCertificateCommand({ CertificateArn }));
          return judgeCertificate(name, { ...Certificate, CertificateArn }, cloud.now());
        } catch (error) {
          if (!(error instanceof Error) || causeOf(error) !== 'not_found') throw error;
          return [failed(`The certificate of ${name} does not exist.`, request(name, region))];
        }
      }),
    );
    return findingsOr(findings.flat(), `The certificates of ${names.map(([name]) => name).join(', ')} are issued.`);
  },
};

const request = (name: string, region: string): string =>
  `aws acm request-certificate --domain-name ${name} --validation-method DNS --region ${region}`;

/** Judges the certificate of a name. */
export function judgeCertificate(name: string, detail: Partial<CertificateDetail>, now: Date): Finding[] {
  const { CertificateArn = '', Status, NotAfter, DomainName = name, SubjectAlternativeNames = [DomainName] } = detail;
  const region = CertificateArn.split(':')[3] ?? '';
  const describe = `aws acm describe-certificate --certificate-arn ${CertificateArn} --region ${region} --query Certificate.DomainValidationOptions`;
  if (Status === 'PENDING_VALIDATION')
    return [failed(`The certificate of ${name} waits for the DNS record that proves the name.`, describe)];
  if (Status !== 'ISSUED') return [failed(`The certificate of ${name} is ${Status}.`, request(name, region))];
  const wildcard = name.replace(/^[^.]+/, '*');
  if (!SubjectAlternativeNames.some((known) => known === name || known === wildcard))
    return [
      failed(`The certificate of ${name} is one of ${SubjectAlternativeNames.join(', ')}.`, request(name, region)),
    ];
  const days = NotAfter ? Math.floor((NotAfter.getTime() - now.getTime()) / DAY_MS) : RENEWED_DAYS;
  return days < RENEWED_DAYS
    ? [
        warning(
          `The certificate of ${name} ends in ${days} days and was not renewed: its DNS record is gone.`,
          describe,
        ),
      ]
    : [];
}
