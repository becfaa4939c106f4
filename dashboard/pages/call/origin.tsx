import type { ShownCall } from '../../../shared/messages/dashboard/calls.ts';
import { Card } from '../../components/layout/card.tsx';
import { InternalLink } from '../../components/text/internal-link.tsx';
import { describePlacedBy } from '../../words/calls/call-page.ts';
import { sourceNames } from '../../words/calls/calls.ts';
import { nameIn } from '../../words/newer.ts';
import styles from './call.module.css';
import { DescriptionList } from './description-list.tsx';

/** Shows where the call comes from. Values that customers and their systems name are in a separate list. */
export function Origin({ call }: { call: ShownCall }) {
  const { lead } = call;
  const by = describePlacedBy(call);
  const given = Object.entries(lead ? lead.fields : call.request_metadata);
  return (
    <Card title="Origin">
      <DescriptionList
        items={[
          [
            'Source',
            lead
              ? linkTo(`/connections/${encodeURIComponent(lead.connection_id)}`, nameIn(sourceNames, call.source))
              : nameIn(sourceNames, call.source),
          ],
          ['Placed by', by && (by.href === undefined ? by.name : linkTo(by.href, by.name))],
          ['Assistant', linkTo(`/assistants/${encodeURIComponent(call.assistant.id)}`, call.assistant.name)],
          ['Idempotency key', call.idempotency_key],
          ['Lead', lead && linkTo(`/leads?ask=${encodeURIComponent(lead.lead_id)}`, lead.lead_id)],
          ['Event', lead?.event.replaceAll('_', ' ')],
          ['Owner', lead?.owner_id],
          ['Test event', lead?.is_test ? 'yes' : null],
        ]}
      />
      {given.length > 0 && (
        <>
          <h3 className={styles.given}>{lead ? 'Fields of the lead' : 'Metadata of the request'}</h3>
          <DescriptionList items={given.map(([name, value]) => [name, json(value)])} />
        </>
      )}
    </Card>
  );
}

const linkTo = (href: string, name: string) => <InternalLink href={href}>{name}</InternalLink>;

const json = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
