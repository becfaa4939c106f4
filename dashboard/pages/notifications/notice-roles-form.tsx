import { Check } from 'lucide-react';
import {
  type NoticeKind,
  noticeKinds,
  noticeRolesSchema,
} from '../../../shared/domain/organizations/members/notice-roles.ts';
import type { OrganizationView } from '../../../shared/messages/dashboard/organization.ts';
import { useField } from '../../components/form/field.tsx';
import { Table, tableStyles } from '../../components/list/table.tsx';
import { InternalLink } from '../../components/text/internal-link.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { noticeChanges, noticeWords, rolesByRank } from '../../words/organization/notices.ts';
import { roleNames } from '../../words/people/roles.ts';
import { SettingsForm } from '../organization/settings-form.tsx';
import { useSettings } from '../organization/use-settings.ts';
import styles from './notifications.module.css';

const noticesOf = ({ notices }: OrganizationView) => notices;

/** Which roles get which e-mails. In the app, every member sees all notices. */
export function NoticeRolesForm({ org }: { org: OrganizationView }) {
  const settings = useSettings(org, () => noticeRolesSchema, noticesOf, noticeChanges);
  return (
    <SettingsForm settings={settings}>
      <Table
        caption="Who receives which notice"
        columns={['What happens', 'In the app', ...rolesByRank.map((role) => roleNames[role])]}
        cardsBelow={0}
        isDense
        centredFrom={1}
      >
        {noticeKinds.map((kind) => (
          <Row key={kind} kind={kind} org={org} />
        ))}
      </Table>
    </SettingsForm>
  );
}

function Row({ kind, org }: { kind: NoticeKind; org: OrganizationView }) {
  const { control } = useField(kind);
  const { title, when, link } = noticeWords(kind, org);
  return (
    <tr>
      <th scope="row">
        {title}
        <span className={styles.when}>
          {when} <InternalLink href={link.to}>{link.name}</InternalLink>
        </span>
      </th>
      <td className={tableStyles.middle}>
        <Check aria-hidden="true" />
        <VisuallyHidden>always, for everybody</VisuallyHidden>
      </td>
      {rolesByRank.map((role) => (
        <td key={role} className={tableStyles.middle}>
          <input
            type="checkbox"
            className={styles.box}
            value={role}
            aria-label={`${title}: e-mail to every ${roleNames[role].toLowerCase()}`}
            {...control}
          />
        </td>
      ))}
    </tr>
  );
}
