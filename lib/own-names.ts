import { StageError, stageFile } from './stage-file.ts';

/** The region in which CloudFront reads certificates, whatever the stage's region is. */
export const CLOUDFRONT_REGION = 'us-east-1';

/** The value of `publicNames` for a name whose certificate the deployment requests. */
export const CREATE = 'create';

/** The settings of a stage about its own names. */
type Named = {
  name: string;
  region?: string | undefined;
  publicUrl?: string | undefined;
  publicNames?: Readonly<Record<string, string>> | undefined;
  dashboardUrl?: string | undefined;
  dashboardCertificate?: string | undefined;
  hostedZones?: Readonly<Record<string, string>> | undefined;
};

/** Returns the dashboard's own name; undefined if it has none. The local stage has no distribution. */
export const dashboardNameOf = ({ name, dashboardUrl }: Named): string | undefined =>
  name === 'local' || dashboardUrl === undefined ? undefined : new URL(dashboardUrl).hostname;

/** Lists all names that belong to the stage. */
const ownNames = (stage: Named): string[] => {
  const dashboard = dashboardNameOf(stage);
  return [...Object.keys(stage.publicNames ?? {}), ...(dashboard === undefined ? [] : [dashboard])];
};

/** The stacks with certificates, which exist only if the stage's names need them. */
export type CertificatesPart = 'certificates' | 'dashboard-certificate';

/** Lists the names whose certificates the deployment requests, by the stack that requests them. */
export const requestedCertificates = (stage: Named): Record<CertificatesPart, string[]> => {
  const dashboard = dashboardNameOf(stage);
  return {
    certificates: Object.entries(stage.publicNames ?? {}).flatMap(([name, value]) => (value === CREATE ? name : [])),
    'dashboard-certificate': dashboard === undefined || stage.dashboardCertificate !== undefined ? [] : [dashboard],
  };
};

/** Returns whether a hosted zone may hold the records of a name. */
const isInZone = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`);

export type Zone = { zoneName: string; hostedZoneId: string };

/** Finds the hosted zone of a name, which is the one with the longest name; undefined if the stage has none. */
export function zoneOf({ hostedZones = {} }: Named, name: string): Zone | undefined {
  const [zone] = Object.entries(hostedZones)
    .filter(([zoneName]) => isInZone(name, zoneName))
    .sort(([one], [other]) => other.length - one.length);
  return zone && { zoneName: zone[0], hostedZoneId: zone[1] };
}

/**
 * Checks the names of a stage against each other and against its certificates and hosted zones.
 * @throws StageError that names the setting and how to fix it
 */
export function checkOwnNames(stage: Named): void {
  requireDashboardName(stage);
  requirePublicNames(stage);
  requireEncryption(stage);
  requireOneUseOfEach(stage);
}

/** Keys, tokens and leads are sent to the public address. The local stage's server is on the same machine. */
function requireEncryption({ name, publicUrl }: Named): void {
  if (name !== 'local' && publicUrl !== undefined && !publicUrl.startsWith('https://'))
    throw new StageError(
      `${stageFile(name)}: publicUrl must begin with https://, because keys and personal data are sent to it.`,
    );
}

/** Requires an address that CloudFront can serve. The local stage has no CloudFront. */
function requireDashboardName({ name, dashboardUrl, dashboardCertificate }: Named): void {
  if (name === 'local') return;
  if (dashboardUrl === undefined && dashboardCertificate !== undefined)
    throw new StageError(`${stageFile(name)}: dashboardCertificate needs dashboardUrl, the address of its name.`);
  if (dashboardUrl !== undefined && !(dashboardUrl.startsWith('https://') && new URL(dashboardUrl).port === ''))
    throw new StageError(
      `${stageFile(name)}: dashboardUrl must be https://NAME, without a port. The deployment requests its certificate, unless dashboardCertificate names one in us-east-1.`,
    );
}

/** Requires a certificate of API Gateway's own region, and no port. */
function requirePublicNames({ name, region, publicUrl, publicNames }: Named): void {
  if (publicNames === undefined) return;
  const certificates = Object.values(publicNames).filter((value) => value !== CREATE);
  const hasName = Object.keys(publicNames).some((known) => publicUrl?.replace(/\/$/, '') === `https://${known}`);
  if (!hasName || certificates.some((arn) => arn.split(':')[3] !== region))
    throw new StageError(
      `${stageFile(name)}: publicNames must have the name of publicUrl (https://NAME, without a port), and certificates in ${region}.`,
    );
}

/** The first name of a certificate has at most 64 characters (ACM API, "RequestCertificate"). */
const MAX_NAME_CHARACTERS = 64;

/**
 * Requires that no name belongs to both the API and the dashboard, that a certificate can have each name, and that each
 * hosted zone contains a name.
 */
function requireOneUseOfEach(stage: Named): void {
  const { name, publicNames = {}, hostedZones = {} } = stage;
  const dashboard = dashboardNameOf(stage);
  if (dashboard !== undefined && publicNames[dashboard] !== undefined)
    throw new StageError(`${stageFile(name)}: publicNames and dashboardUrl have the same name, ${dashboard}.`);
  const requested = Object.values(requestedCertificates(stage)).flat();
  const long = requested.find((one) => one.length > MAX_NAME_CHARACTERS);
  if (long !== undefined)
    throw new StageError(
      `${stageFile(name)}: ${long} in publicNames or dashboardUrl exceeds the ${MAX_NAME_CHARACTERS} characters of a certificate's name.`,
    );
  const unused = Object.keys(hostedZones).find((zone) => !ownNames(stage).some((one) => isInZone(one, zone)));
  if (unused !== undefined)
    throw new StageError(
      `${stageFile(name)}: hostedZones has ${unused}, but no name of publicNames or dashboardUrl is in this zone.`,
    );
}
