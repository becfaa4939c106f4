import { roles } from '../../../shared/domain/organizations/member.ts';
import { useMe } from '../../app/me.ts';
import { refusalToGive } from '../../app/rights.ts';
import { ChoiceCards } from '../../parts/choice-cards.tsx';
import { roleMeanings, roleNames } from '../../words/roles.ts';

/** The roles with their meaning; one that may not be given says why. */
export function RoleChoice() {
  const me = useMe();
  const options = roles.map((role) => {
    const reason = refusalToGive(me, role);
    return {
      value: role,
      title: roleNames[role],
      about: reason ?? roleMeanings[role],
      isDisabled: reason !== undefined,
    };
  });
  return <ChoiceCards name="role" label="Role" type="radio" options={options} />;
}
