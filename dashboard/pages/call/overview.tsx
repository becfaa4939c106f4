import type { ShownCall } from '../../../shared/messages/dashboard/calls.ts';
import { Card } from '../../components/layout/card.tsx';
import { Notice } from '../../components/message/notice.tsx';
import { InternalLink } from '../../components/text/internal-link.tsx';
import { Time } from '../../components/text/time.tsx';
import { describePlacedBy, describeWait } from '../../words/calls/call-page.ts';
import { sourceNames } from '../../words/calls/calls.ts';
import { describeTimeline } from '../../words/calls/timeline.ts';
import { nameIn } from '../../words/newer.ts';
import { creditKindNames, formatSigned } from '../../words/organization/credit.ts';
import { formatCredits, formatDuration } from '../../words/times.ts';
import styles from './call.module.css';
import { DescriptionList } from './description-list.tsx';

/** The call's progress, from its placement to the last follow-up. */
export const Timeline = ({ call }: { call: ShownCall }) => (
  <Card title="Timeline">
    {call.waits && <Notice tone="info">{describeWait(call.waits)}</Notice>}
    <ol className={styles.timeline}>
      {describeTimeline(call).map(({ key, text, note, at }) => (
        <li key={key}>
          <span>
            {text}
            {note && <span className={styles.muted}> · {note}</span>}
          </span>
          <Time at={at} hasSeconds />
        </li>
      ))}
    </ol>
  </Card>
);

export function Credit({ call }: { call: ShownCall }) {
  const { rate, max_duration, held, charged, returned, beyond_hold, entries } = call.credit;
  return (
    <Card title="Credit">
      <DescriptionList
        items={[
          ['Rate', `${formatCredits(rate)} per started minute`],
          ['Longest duration', formatDuration(max_duration)],
          ['Held', formatCredits(held)],
          ['Charged', charged === null ? 'not yet' : formatCredits(charged)],
          ['Returned', returned === null ? null : formatCredits(returned)],
          ['Beyond the hold', beyond_hold > 0 ? `${formatCredits(beyond_hold)}, not charged` : null],
        ]}
      />
      {entries.length > 0 && (
        <>
          <h3 className={styles.given}>Entries of the ledger</h3>
          <ol className={styles.timeline}>
            {entries.map(({ entry, at, kind, amount, held: moved }) => (
              <li key={entry}>
                <span>
                  {nameIn(creditKindNames, kind)}
                  <span className={styles.muted}>
                    {' '}
                    · {amount !== 0 && `${formatSigned(amount)} charged, `}
                    {formatSigned(moved)} held
                  </span>
                </span>
                <Time at={at} hasSeconds />
              </li>
            ))}
          </ol>
        </>
      )}
    </Card>
  );
}

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
