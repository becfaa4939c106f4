import { roles } from '../../../shared/domain/organizations/members/member.ts';
import { deniedReasonToGiveRole } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { ChoiceCards } from '../../components/form/choice-cards.tsx';
import { roleMeanings, roleNames } from '../../words/people/roles.ts';

/** The roles with their meaning; a role that the person may not give says why. */
export function RoleChoice() {
  const me = useMe();
  const options = roles.map((role) => {
    const reason = deniedReasonToGiveRole(me, role);
    return {
      value: role,
      title: roleNames[role],
      about: reason ?? roleMeanings[role],
      isDisabled: reason !== undefined,
    };
  });
  return <ChoiceCards name="role" label="Role" type="radio" options={options} />;
}
