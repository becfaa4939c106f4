import type { ConnectionView, ShownConnection } from '../../../shared/messages/dashboard/connections.ts';
import { Card } from '../../components/layout/card.tsx';
import { Time } from '../../components/text/time.tsx';
import {
  channelNote,
  dataCenterNames,
  describeConnectionState,
  describeNextStep,
} from '../../words/connections/connections.ts';
import { missedSweepNote } from '../../words/connections/missed-sweep.ts';
import styles from './connection.module.css';

type Props = { connection: ConnectionView; assistant: ShownConnection['assistant'] };

/** The connection's health, and since when. */
export function Health({ connection, assistant }: Props) {
  const { health, type, data_center, granted_at } = connection;
  const nextStep = describeNextStep(connection);
  const why = health.status === 'unhealthy' && type === 'crm-b' && health.reason;
  return (
    <Card title="Health">
      <dl className={styles.facts}>
        <dt>State</dt>
        <dd>
          {describeConnectionState(connection).name}
          {why && <span className={styles.muted}> – {why}</span>}
        </dd>
        {nextStep && (
          <>
            <dt>Next step</dt>
            <dd>{nextStep.title}</dd>
          </>
        )}
        {type !== 'help-desk' && (
          <>
            <dt>Assistant</dt>
            <dd>{assistant?.name ?? 'none'}</dd>
            <dt>Last delivery</dt>
            <dd>{health.last_delivery_at ? <Time at={health.last_delivery_at} /> : 'none yet'}</dd>
          </>
        )}
        {health.rejection && (
          <>
            <dt>Last refusal</dt>
            <dd>
              <Time at={health.rejection.at} />
              <span className={styles.muted}> – {refusals[health.rejection.reason] ?? health.rejection.reason}</span>
            </dd>
          </>
        )}
        {health.missed_sweep && (
          <>
            <dt>Sunday retry</dt>
            <dd>
              <Time at={health.missed_sweep.at} />
              <span className={styles.muted}> – {missedSweepNote(health.missed_sweep)}</span>
            </dd>
          </>
        )}
        {health.channel_expiry && (
          <>
            <dt>Channel expires</dt>
            <dd>
              <Time at={health.channel_expiry} isDay />{' '}
              <span className={styles.muted}>({channelNote(connection)})</span>
            </dd>
          </>
        )}
        {granted_at && (
          <>
            <dt>Consent</dt>
            <dd>
              <Time at={granted_at} isDay />
              {data_center && <span className={styles.muted}> – {dataCenterNames[data_center] ?? data_center}</span>}
            </dd>
          </>
        )}
      </dl>
    </Card>
  );
}

const refusals: Readonly<Record<string, string>> = { unauthorized: 'the token was wrong or missing' };
