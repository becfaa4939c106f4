import * as z from 'zod/mini';
import { organizationLimits } from '../../../shared/domain/organizations/organization-limits.ts';
import { trimmedText } from '../../../shared/domain/text/trimmed-text.ts';
import type { OrganizationView } from '../../../shared/messages/dashboard/organization.ts';
import { regionName } from '../regions.ts';
import { formatCredits } from '../times.ts';
import { creditAmountSchema } from './credit-amount.ts';

/** Describes the operator's settings for destinations and spend. */
export const destinationsLead = ({ daily_limit }: Pick<OrganizationView, 'daily_limit'>): string => {
  const spend =
    daily_limit === null
      ? ''
      : ` Calls may cost at most ${formatCredits(daily_limit)} credits a day; further calls wait.`;
  return `Only your operator can change this. Premium, shared-cost and satellite numbers are never called.${spend}`;
};

/** Lists the countries that may be called, with the credits per started minute. */
export function listDestinations({ countries, rates, rate }: Pick<OrganizationView, 'countries' | 'rates' | 'rate'>) {
  if (countries) return countries.map((code) => ({ name: regionName(code), rate: rates[code] ?? rate }));
  const own = Object.entries(rates).map(([code, ofCode]) => ({ name: regionName(code), rate: ofCode }));
  return [...own, { name: own.length > 0 ? 'Every other country' : 'Every country', rate }];
}

type Limits = OrganizationView['limits'];
type LimitName = keyof Limits;

const limitNames = Object.keys(organizationLimits) as LimitName[];

const limitWords: Readonly<Record<LimitName, { label: string; none: string }>> = {
  requests_per_minute: { label: 'Requests per API key and minute', none: '' },
  outbound_per_minute: { label: 'Placed calls per API key and minute', none: '' },
  max_live_calls: { label: 'Live calls at once', none: 'Now only the limit of the service applies.' },
  max_wait_minutes: { label: 'Longest wait for a line, in minutes', none: 'Now the limit of the service applies.' },
};

/** Describes each limit, and how it may be changed. */
export const limitHints = (limits: Limits) =>
  limitNames.map((name) => {
    const now = limits[name];
    const { label, none } = limitWords[name];
    const hint = `${now === null ? none : `Now ${now.toLocaleString('en-IN')}.`} You may lower it. Only your operator may raise it again.`;
    return { name, label, hint };
  });

/** @param now the present limit, which the page can lower, but not remove */
const limitSchema = (name: LimitName, now: number | null) =>
  z.string().check(
    z.trim(),
    z.refine((typed) => typed !== '' || now === null, { message: 'Only your operator can remove a limit.' }),
    z.refine((typed) => typed === '' || isWithin(typed, organizationLimits[name]), {
      message: `Enter a whole number from 1 to ${organizationLimits[name].toLocaleString('en-IN')}.`,
    }),
  );

const isWithin = (typed: string, most: number) => /^\d+$/.test(typed) && Number(typed) >= 1 && Number(typed) <= most;

/** The settings as people type them. */
export const organizationFormSchema = ({ limits }: Pick<OrganizationView, 'limits'>) =>
  z.object({
    name: trimmedText(200),
    default_region: z
      .string()
      .check(z.trim(), z.toUpperCase(), z.regex(/^[A-Z]{2}$/, 'Enter the two letters of a country.')),
    platform_numbers: z.string(),
    warn_below: creditAmountSchema,
    requests_per_minute: limitSchema('requests_per_minute', limits.requests_per_minute),
    outbound_per_minute: limitSchema('outbound_per_minute', limits.outbound_per_minute),
    max_live_calls: limitSchema('max_live_calls', limits.max_live_calls),
    max_wait_minutes: limitSchema('max_wait_minutes', limits.max_wait_minutes),
  });

type OrganizationFormValues = z.infer<ReturnType<typeof organizationFormSchema>>;

const limitFormValues = (limits: Limits) =>
  Object.fromEntries(limitNames.map((name) => [name, limits[name] === null ? '' : String(limits[name])]));

export const organizationFormValues = (org: OrganizationView): OrganizationFormValues =>
  ({
    name: org.name,
    default_region: org.default_region,
    platform_numbers: org.platform_numbers.join(', '),
    warn_below: org.warn_below === null ? '' : String(org.warn_below),
    ...limitFormValues(org.limits),
  }) as OrganizationFormValues;

/** @param typed validated. @returns the changes in the API's form */
export function organizationChanges(org: OrganizationView, typed: OrganizationFormValues) {
  const before = organizationFormValues(org);
  const isChanged = (name: keyof OrganizationFormValues) => typed[name].trim() !== before[name].trim();
  const numbers = typed.platform_numbers.split(/[,;\n]/).map((number) => number.trim());
  const warning = typed.warn_below.trim();
  const limits = limitNames.filter(isChanged);
  return {
    ...(isChanged('name') && { name: typed.name.trim() }),
    ...(isChanged('default_region') && { default_region: typed.default_region.trim().toUpperCase() }),
    ...(isChanged('platform_numbers') && { platform_numbers: numbers.filter((number) => number !== '') }),
    ...(isChanged('warn_below') && { warn_below: warning === '' ? null : Number(warning) }),
    ...(Object.fromEntries(limits.map((name) => [name, Number(typed[name])])) as Partial<Record<LimitName, number>>),
  };
}
