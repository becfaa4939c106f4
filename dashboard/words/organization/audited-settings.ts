import type { OrganizationView } from '../../../shared/messages/dashboard/organization.ts';

/** @returns the settings by the names of the audit log, to compare two versions. */
export const auditedSettings = ({ limits, retention, notices, ...org }: OrganizationView) => ({
  name: org.name,
  default_region: org.default_region,
  countries: org.countries,
  rate: org.rate,
  rates: org.rates,
  platform_numbers: org.platform_numbers,
  warn_below: org.warn_below,
  daily_limit: org.daily_limit,
  voice_number_id: org.voice_number_id,
  is_suspended: org.is_suspended,
  ...limits,
  ...Object.fromEntries(Object.entries(retention).map(([kind, time]) => [`retention_${kind}`, time])),
  ...Object.fromEntries(Object.entries(notices).map(([kind, emailed]) => [`email_${kind}`, emailed])),
});
