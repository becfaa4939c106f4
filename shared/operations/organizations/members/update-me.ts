import type { Member } from '../../../domain/organizations/members/member.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import { toE164 } from '../../../domain/text/national-number.ts';
import { maskPhone } from '../../../domain/text/phone-number.ts';
import type { MemberStore } from '../../../stores/organizations/members.ts';
import { type AuditedChangeDeps, audited } from '../steps/audited-change.ts';

export type UpdateMeDeps = AuditedChangeDeps & {
  members: Pick<MemberStore, 'updating'>;
};

export type UpdatingMe =
  | { kind: 'updated'; member: Member }
  | { kind: 'invalid_phone_number' }
  /** The person was removed at the same time. */
  | { kind: 'no_membership' };

/**
 * Changes the person's name, number for test calls, and e-mail preference.
 * @param change `phone: null` removes the number.
 */
export async function updateMe(
  deps: UpdateMeDeps,
  member: Member,
  org: Pick<Organization, 'default_region'>,
  change: { name?: string | undefined; phone?: string | null | undefined; email_notices?: boolean | undefined },
): Promise<UpdatingMe> {
  const phone = typeof change.phone === 'string' ? toE164(change.phone, org.default_region) : undefined;
  if (typeof change.phone === 'string' && phone === undefined) return { kind: 'invalid_phone_number' };
  const { phone: formerPhone, has_no_emails: hadNone, ...rest } = member;
  const keptPhone = change.phone === undefined ? formerPhone : phone;
  const isQuiet = change.email_notices === undefined ? hadNone : !change.email_notices;
  const updated: Member = {
    ...rest,
    name: change.name ?? member.name,
    ...(keptPhone && { phone: keptPhone }),
    ...(isQuiet && { has_no_emails: true }),
  };
  const [was, is] = [shown(member), shown(updated)];
  if (updated.phone === formerPhone && JSON.stringify(was) === JSON.stringify(is)) return { kind: 'updated', member };
  const { org_id, user_id, email } = member;
  const result = await deps.transact({
    member: deps.members.updating(
      member,
      {
        name: updated.name,
        ...(updated.phone && { phone: updated.phone }),
        ...(updated.has_no_emails && { has_no_emails: true }),
      },
      (['phone', 'has_no_emails'] as const).filter((name) => updated[name] === undefined),
    ),
    audit: audited(deps, {
      org_id,
      actor: { kind: 'member', user_id, email },
      action: 'member.updated',
      thing: { id: user_id, name: email },
      before: was,
      after: is,
    }),
  });
  return result.committed ? { kind: 'updated', member: updated } : { kind: 'no_membership' };
}

/** Returns the audited part of the profile. */
const shown = ({ name, phone, has_no_emails = false }: Member) => ({
  name,
  ...(phone && { phone: maskPhone(phone) }),
  email_notices: !has_no_emails,
});
