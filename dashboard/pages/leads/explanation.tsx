import { ArrowRight } from 'lucide-react';
import type { Explanation } from '../../../shared/messages/dashboard/leads.ts';
import { Notice } from '../../components/message/notice.tsx';
import { CallLink } from '../../components/text/call-link.tsx';
import { InternalLink } from '../../components/text/internal-link.tsx';
import { Time } from '../../components/text/time.tsx';
import { statusWords } from '../../words/calls/calls.ts';
import { ownerToUse } from '../../words/leads/lead-owner.ts';
import {
  type DescribedFix,
  describeDecisionNow,
  describeVerdict,
  fixHref,
  healthNames,
  testPlaceOf,
} from '../../words/leads/lead-verdict.ts';
import { crmNames, happeningNames, sourceWords } from '../../words/leads/leads.ts';
import { describeOutcome } from '../../words/leads/outcomes.ts';
import { nameIn, wordsIn } from '../../words/newer.ts';
import { formatDuration } from '../../words/times.ts';
import { Checks } from './checks.tsx';
import styles from './leads.module.css';
import { UseOwner } from './use-owner.tsx';

/** The answer: one sentence with one fix, the checks, and the events and calls behind it. */
export function ExplanationView({ explained }: { explained: Explanation }) {
  const { tone, sentence, reason, fix } = describeVerdict(explained);
  const owner = ownerToUse(explained);
  const testPlace = testPlaceOf(explained);
  const { verdict, number, events, calls, connections, has_more_events } = explained;
  return (
    <>
      <Notice tone={tone} title={sentence}>
        {verdict && (
          <p>
            {reason} <Time at={verdict.at} />, {nameIn(crmNames, verdict.crm)}
            {verdict.is_test && ', test event'}
          </p>
        )}
        <div className={styles.actions}>
          <Fix fix={fix} />
          {owner && <UseOwner owner={owner} />}
          {testPlace && <InternalLink href={testPlace}>Send a test event</InternalLink>}
        </div>
      </Notice>
      {verdict && <Checks checks={verdict.checks} />}
      {verdict && <p>{describeDecisionNow(explained)}</p>}
      {events.length > 1 && (
        <details className={styles.more}>
          <summary>All {has_more_events ? `${events.length} newest` : events.length} stored events</summary>
          <ul className={styles.history}>
            {events.map((event) => (
              <li key={event.id}>
                <Time at={event.at} /> {nameIn(crmNames, event.crm)}, {nameIn(happeningNames, event.event)}
                {nameIn(sourceWords, event.source) && `, ${nameIn(sourceWords, event.source)}`}:{' '}
                <strong>{describeOutcome(event.outcome).name}</strong>
              </li>
            ))}
          </ul>
        </details>
      )}
      {calls.length > 0 && (
        <ul className={styles.history} aria-label="Calls">
          {calls.map((call) => (
            <li key={call.id}>
              <InternalLink href={`/calls/${encodeURIComponent(call.id)}`}>Call</InternalLink> of{' '}
              <Time at={call.placed_at} />: {wordsIn(statusWords, call.status).name}
              {call.duration ? `, ${formatDuration(call.duration)}` : ''}
            </li>
          ))}
        </ul>
      )}
      {number?.do_not_call && <Listed phone={number.phone} entry={number.do_not_call} />}
      {number && calls.length === 0 && <p>No call to this number is stored from the last 90 days.</p>}
      {!verdict && <Connections connections={connections} />}
    </>
  );
}

type Entry = NonNullable<NonNullable<Explanation['number']>['do_not_call']>;

/** When and why the number was listed. */
const Listed = ({ phone, entry: { since, call_id, by } }: { phone: string; entry: Entry }) => (
  <p>
    <InternalLink href={fixHref('do_not_call', { connection_id: '', phone }) ?? ''}>
      On the do-not-call list
    </InternalLink>{' '}
    since <Time at={since} />
    {call_id !== null && (
      <>
        : the person asked for it in <CallLink callId={call_id} />
      </>
    )}
    {call_id === null && by !== null && `, added by ${by}`}.
  </p>
);

const Fix = ({ fix: { text, href } }: { fix: DescribedFix }) =>
  href === undefined ? (
    <p className={styles.fix}>{text}.</p>
  ) : (
    <p className={styles.fix}>
      <InternalLink href={href}>
        {text} <ArrowRight aria-hidden="true" />
      </InternalLink>
    </p>
  );

/** Lists the CRM connections with their health, which shows whether an event could arrive. */
const Connections = ({ connections }: Pick<Explanation, 'connections'>) => (
  <ul className={styles.history} aria-label="Connections">
    {connections.map(({ connection_id, crm, health, last_delivery_at, last_rejection }) => (
      <li key={connection_id}>
        <strong>{nameIn(crmNames, crm)}</strong> {healthNames[health]}
        {last_delivery_at ? (
          <>
            , last delivery <Time at={last_delivery_at} />
          </>
        ) : (
          ', nothing has been delivered yet'
        )}
        {last_rejection && (
          <>
            , last refusal <Time at={last_rejection.at} /> ({last_rejection.reason})
          </>
        )}
      </li>
    ))}
  </ul>
);
