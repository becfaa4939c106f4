import { mayCallCountry } from '../../../domain/organizations/countries.ts';
import { toUnits } from '../../../domain/organizations/credit.ts';
import type { Role } from '../../../domain/organizations/members/member.ts';
import { changedNoticeRoles, type NoticeKind } from '../../../domain/organizations/members/notice-roles.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import { type LimitName, limitsOf, raisedLimits } from '../../../domain/organizations/organization-change.ts';
import { isRegion, toE164 } from '../../../domain/text/national-number.ts';
import type { OrganizationChange } from '../update-organization.ts';

/** The settings that a member may change. Undefined leaves a setting, null removes it. */
export type MemberChange = {
  name?: string | undefined;
  default_region?: string | undefined;
  /** In any usual form. */
  platform_numbers?: readonly string[] | undefined;
  /** Credits. */
  warn_below?: number | null | undefined;
  /** The kinds that change. */
  notices?: { [Kind in NoticeKind]?: readonly Role[] | undefined } | undefined;
} & { [Name in LimitName]?: number | undefined };

/** A problem with a setting. `path` is its name, with the position in a list. */
export type WrongSetting = { path: string; message: string };

/** Validates a member's change, and parses its numbers and amounts. @returns the change, or its problems. */
export function readOrganizationChange(
  org: Organization,
  { platform_numbers, warn_below, notices, ...change }: MemberChange,
): { kind: 'change'; change: OrganizationChange } | { kind: 'wrong'; wrong: WrongSetting[] } {
  const { default_region = org.default_region } = change;
  const numbers = platform_numbers?.map((number) => toE164(number, default_region));
  const wrong: WrongSetting[] = [];
  if (!isRegion(default_region))
    wrong.push({ path: 'default_region', message: 'This is not a country with phone numbers.' });
  else if (!mayCallCountry(org, default_region))
    wrong.push({ path: 'default_region', message: 'Only your operator can allow calls to this country.' });
  numbers?.forEach((number, index) => {
    const message = `“${platform_numbers?.[index]}” is not a phone number.`;
    if (number === undefined) wrong.push({ path: `platform_numbers.${index}`, message });
  });
  const limits = limitsOf(org);
  for (const path of raisedLimits(org, change as Partial<Organization>))
    wrong.push({ path, message: `Only your operator may raise this limit. It is ${limits[path]} now.` });
  if (wrong.length > 0) return { kind: 'wrong', wrong };
  const set = {
    ...change,
    ...(numbers && { platform_numbers: [...new Set(numbers as string[])] }),
    ...(typeof warn_below === 'number' && { warn_below: toUnits(warn_below) }),
    ...(notices && { notices: changedNoticeRoles(org, notices) }),
  };
  const given = Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined));
  return { kind: 'change', change: { set: given, remove: warn_below === null ? ['warn_below'] : [] } };
}
