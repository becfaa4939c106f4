import type { Shown } from '../../newer-values.ts';
import { type AuditEntry, actorName, type StageEntry } from '../audit/audit-entry.ts';
import { rateRange } from '../countries.ts';
import { toCredits } from '../credit.ts';
import type { Organization } from '../organization.ts';
import type { Member } from './member.ts';

/** Returns a member as the dashboard's API shows it. */
export const viewMember = <Role extends string>({
  user_id,
  email,
  name,
  role,
  created_at,
}: Omit<Member, 'role'> & { role: Role }) => ({ user_id, email, name, role, created_at });

/** Returns the person who is signed in, with the organization in brief. Amounts are in credits. */
export const viewMe = (
  member: Member,
  { org, admins, stage }: { org: Organization; admins: readonly Member[]; stage: string },
) => {
  const { least, most } = rateRange(org);
  return {
    ...viewMember(member),
    phone: member.phone ?? null,
    email_notices: member.has_no_emails !== true,
    org: {
      org_id: org.org_id,
      name: org.name,
      default_region: org.default_region,
      available: toCredits(org.available),
      held: toCredits(org.held),
      rate: toCredits(org.rate),
      least_rate: toCredits(least),
      most_rate: toCredits(most),
      is_suspended: org.suspended_at !== undefined,
    },
    admins: admins.map(({ name, email }) => ({ name, email })),
    stage,
  };
};

/** Returns an entry of the audit log as the dashboard's API shows it. */
export const viewAuditEntry = ({ entry, at, actor, action, thing, before, after }: Shown<AuditEntry | StageEntry>) => ({
  entry,
  at,
  actor: { kind: actor.kind, name: actorName(actor) },
  action,
  thing,
  before: before ?? null,
  after: after ?? null,
});
