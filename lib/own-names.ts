/** The region in which CloudFront reads certificates, whatever the stage's region is. */
export const CLOUDFRONT_REGION = 'us-east-1';

/** The value of `publicNames` for a name whose certificate the deployment requests. */
export const CREATE = 'create';

/** The settings of a stage about its own names. */
type Named = {
  name: string;
  publicNames?: Readonly<Record<string, string>> | undefined;
  dashboardUrl?: string | undefined;
  dashboardCertificate?: string | undefined;
  hostedZones?: Readonly<Record<string, string>> | undefined;
};

/** Returns the dashboard's own name; undefined if it has none. The local stage has no distribution. */
export const dashboardNameOf = ({ name, dashboardUrl }: Named): string | undefined =>
  name === 'local' || dashboardUrl === undefined ? undefined : new URL(dashboardUrl).hostname;

/** Lists all names that belong to the stage. */
export const ownNames = (stage: Named): string[] => {
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
export const isInZone = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`);

export type Zone = { zoneName: string; hostedZoneId: string };

/** Finds the hosted zone of a name, which is the one with the longest name; undefined if the stage has none. */
export function zoneOf({ hostedZones = {} }: Named, name: string): Zone | undefined {
  const [zone] = Object.entries(hostedZones)
    .filter(([zoneName]) => isInZone(name, zoneName))
    .sort(([one], [other]) => other.length - one.length);
  return zone && { zoneName: zone[0], hostedZoneId: zone[1] };
}
