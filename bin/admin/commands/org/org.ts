import type { AuditAction } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import { toUnits } from '../../../../shared/domain/organizations/credit.ts';
import { changedNoticeRoles } from '../../../../shared/domain/organizations/members/notice-roles.ts';
import { DEFAULT_RATE_CREDITS, DEFAULT_REGION } from '../../../../shared/domain/organizations/organization.ts';
import { organizationRevision } from '../../../../shared/domain/organizations/organization-change.ts';
import { istDay } from '../../../../shared/domain/time/ist-day.ts';
import { createOrg } from '../../../../shared/operations/organizations/create-org.ts';
import {
  type OrganizationChange,
  updateOrganization,
} from '../../../../shared/operations/organizations/update-organization.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { findOrg, orgNotFound } from '../../cloud/records.ts';
import { Refusal } from '../../failures.ts';
import { credits, text } from '../../values.ts';
import { type Answer, type Noun, type OfOrg, optional, orgOption, requireChange, required, verb } from '../../verb.ts';
import { adoptCountriesVerb } from './adopt-countries.ts';
import { callbackSecretVerb } from './callback-secret.ts';
import { creditVerbs, setBalance } from './credit.ts';
import { retention } from './retention.ts';
import {
  type LimitFlags,
  limitOptions,
  type NoticeFlags,
  noticeOptions,
  readLimits,
  readNoticeRoles,
  readSettings,
  type SettingFlags,
  settingOptions,
} from './settings.ts';
import { showOrg } from './view.ts';

type Creation = SettingFlags & { name: string; credits: string };
type Change = OfOrg & SettingFlags & LimitFlags & NoticeFlags & { credits?: string };

export const org: Noun = {
  name: 'org',
  summary: 'Organizations and their credit',
  verbs: [
    verb<Creation>({
      usage: 'create',
      summary: 'Creates an organization',
      options: [
        required('--name <text>', 'name'),
        required('--credits <n>', 'opening credit'),
        ...settingOptions('defaults'),
      ],
      ownsRegion: true,
      act: create,
    }),
    verb<OfOrg>({
      usage: 'show',
      summary: 'Shows an organization and its credit',
      options: [orgOption],
      act: show,
    }),
    verb<Change>({
      usage: 'update',
      summary: 'Changes the settings of an organization',
      options: [
        orgOption,
        optional('--name <text>', 'name'),
        optional('--credits <n>', 'new balance, set by a ledger entry of the difference'),
        ...settingOptions(),
        ...limitOptions,
        ...noticeOptions,
      ],
      ownsRegion: true,
      act: update,
    }),
    adoptCountriesVerb,
    verb<OfOrg>({
      usage: 'suspend',
      summary: 'Stops dialing the calls of an organization; they wait',
      options: [orgOption],
      act: suspend,
    }),
    verb<OfOrg>({
      usage: 'resume',
      summary: 'Dials the calls of an organization again',
      options: [orgOption],
      act: resume,
    }),
    ...creditVerbs,
    callbackSecretVerb,
  ],
  groups: [retention],
};

async function show(cloud: Cloud, { org: orgId }: OfOrg): Promise<Answer> {
  const org = await findOrg(cloud, orgId);
  return showOrg(org, undefined, await cloud.usage.committed(orgId, istDay(cloud.now())));
}

async function create(cloud: Cloud, flags: Creation): Promise<Answer> {
  const wanted = {
    name: text('--name', flags.name),
    credit: credits('--credits', flags.credits),
    rate: toUnits(DEFAULT_RATE_CREDITS),
    default_region: DEFAULT_REGION,
    countries: [],
    platform_numbers: [],
    ...readSettings(flags),
  };
  const created = await createOrg(cloud, await cloud.operator(), wanted);
  return showOrg(created, 'The organization was created. Create its first API key with key create --org … --name …');
}

async function update(cloud: Cloud, { org: orgId, credits: balance, ...flags }: Change): Promise<Answer> {
  const { set: limits, remove } = readLimits(flags);
  const set = { ...readSettings(flags), ...limits };
  const wanted = balance === undefined ? undefined : credits('--credits', balance);
  const roles = readNoticeRoles(flags);
  requireChange({ ...set, wanted, roles, removed: remove[0] }, '--name, --rate, --max-live-calls, … (see --help)');

  const found = await findOrg(cloud, orgId);
  if (wanted !== undefined) await setBalance(cloud, found, wanted);
  const notices = roles && changedNoticeRoles(found, roles);
  const given = Object.fromEntries(Object.entries({ ...set, notices }).filter(([, value]) => value !== undefined));
  await change(cloud, { org_id: orgId }, { set: given, remove }, roles && organizationRevision(found));
  const isRetention = [...Object.keys(given), ...remove].some((setting) => setting.startsWith('retention_'));
  const earlier = isRetention
    ? ' The new retention applies to new calls; org retention apply applies it to earlier calls.'
    : '';
  return showOrg(await findOrg(cloud, orgId), `The organization was changed.${earlier}`);
}

async function suspend(cloud: Cloud, { org: orgId }: OfOrg): Promise<Answer> {
  const found = await findOrg(cloud, orgId);
  const suspended_at = found.suspended_at ?? cloud.now().toISOString();
  await change(cloud, { org_id: orgId, action: 'org.suspended' }, { set: { suspended_at } });
  return showOrg(
    await findOrg(cloud, orgId),
    'The organization is suspended: its calls wait until org resume dials them.',
  );
}

async function resume(cloud: Cloud, { org: orgId }: OfOrg): Promise<Answer> {
  await findOrg(cloud, orgId);
  await change(cloud, { org_id: orgId, action: 'org.resumed' }, { remove: ['suspended_at'] });
  return showOrg(
    await findOrg(cloud, orgId),
    'The organization is resumed: its waiting calls are dialed as slots become free.',
  );
}

async function change(
  cloud: Cloud,
  which: { org_id: string; action?: AuditAction },
  wanted: OrganizationChange,
  revision?: number,
): Promise<void> {
  const { kind } = await updateOrganization(cloud, await cloud.operator(), which, wanted, revision);
  if (kind === 'org_not_found') throw orgNotFound(which.org_id);
  if (kind === 'changed_meanwhile')
    throw new Refusal(kind, 'The organization has changed meanwhile. Run the command again.');
}
