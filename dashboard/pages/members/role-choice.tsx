import { useFormContext } from 'react-hook-form';
import { roles } from '../../../shared/domain/organizations/member.ts';
import { useMe } from '../../app/me.ts';
import { refusalToGive } from '../../app/rights.ts';
import { roleMeanings, roleNames } from '../../words/roles.ts';
import styles from './members.module.css';

/** The roles with their meaning; one that may not be given says why. */
export function RoleChoice() {
  const me = useMe();
  const { register } = useFormContext();
  return (
    <fieldset className={styles.choices} data-label="Role">
      <legend>Role</legend>
      {roles.map((role) => {
        const reason = refusalToGive(me, role);
        return (
          <label key={role} className={styles.choice}>
            <input type="radio" value={role} disabled={reason !== undefined} {...register('role')} />
            <span>
              <strong>{roleNames[role]}</strong>
              <span>{reason ?? roleMeanings[role]}</span>
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}
