import { Check, Minus } from 'lucide-react';
import { hasRightsOf, roles } from '../../../shared/domain/organizations/members/member.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { Card } from '../../components/layout/card.tsx';
import { Table, tableStyles } from '../../components/list/table.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { rightsByRole } from '../../words/people/rights-by-role.ts';
import { roleNames } from '../../words/people/roles.ts';
import styles from './members.module.css';

/** The rights that distinguish the roles. */
export function RoleComparison() {
  const me = useMe();
  return (
    <Card
      title="What each role may do"
      lead={`Each role has the rights of those before it. Yours: ${roleNames[me.role]}.`}
      isFlush
    >
      <Table
        caption="Rights by role"
        columns={['Right', ...roles.map((role) => roleNames[role])]}
        cardsBelow={0}
        centredFrom={1}
      >
        {rightsByRole.map(({ right, from }) => (
          <tr key={right}>
            <th scope="row">{right}</th>
            {roles.map((role) => (
              <td key={role} className={tableStyles.middle}>
                {hasRightsOf(role, from) ? (
                  <Check className={styles.yes} aria-hidden="true" />
                ) : (
                  <Minus className={styles.no} aria-hidden="true" />
                )}
                <VisuallyHidden>{hasRightsOf(role, from) ? 'yes' : 'no'}</VisuallyHidden>
              </td>
            ))}
          </tr>
        ))}
      </Table>
    </Card>
  );
}
