import type { OrganizationView } from '../../../shared/messages/dashboard/organization.ts';
import { Card } from '../../components/layout/card.tsx';
import { Table } from '../../components/list/table.tsx';
import { describeRetention } from '../../words/organization/retention.ts';

const LEAD =
  'Counted from the end of a call. A recording or transcript is never kept for longer than its call. Only your ' +
  'operator can change this: a change counts for new calls, and for earlier ones when your operator applies it to them.';

/** How long data is kept. Only the operator can change it. */
export function Retention({ org }: { org: OrganizationView }) {
  return (
    <Card title="How long data is kept" lead={LEAD} isFlush>
      <Table caption="Kinds of data and how long they are kept" columns={['What', 'Kept']}>
        {describeRetention(org).map(({ what, kept }) => (
          <tr key={what}>
            <td data-label="What">{what}</td>
            <td data-label="Kept">{kept}</td>
          </tr>
        ))}
      </Table>
    </Card>
  );
}
