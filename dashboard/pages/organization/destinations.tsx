import type { OrganizationView } from '../../../shared/messages/dashboard/organization.ts';
import { Card } from '../../components/layout/card.tsx';
import { Table } from '../../components/list/table.tsx';
import { destinationsLead, listDestinations } from '../../words/organization/organization.ts';
import { formatCredits } from '../../words/times.ts';

/** The countries that may be called, with their rates. Only the operator can change them. */
export function Destinations({ org }: { org: OrganizationView }) {
  return (
    <Card title="Where calls may go" lead={destinationsLead(org)} isFlush>
      <Table caption="Countries that may be called" columns={['Country', 'Credits per started minute']}>
        {listDestinations(org).map(({ name, rate }) => (
          <tr key={name}>
            <td data-label="Country">{name}</td>
            <td data-label="Credits per started minute">{formatCredits(rate)}</td>
          </tr>
        ))}
      </Table>
    </Card>
  );
}
