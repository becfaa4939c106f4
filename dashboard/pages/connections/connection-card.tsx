import { Link, useNavigate } from '@tanstack/react-router';
import { Headset, type LucideIcon, Plug, UserRoundPlus, Workflow } from 'lucide-react';
import { connectionNames } from '../../../shared/domain/connections/connection-words.ts';
import {
  type ConnectionView,
  createConnection,
  type NewerConnection,
} from '../../../shared/messages/dashboard/connections.ts';
import type { Answer } from '../../app/api/send.ts';
import { useAction } from '../../app/query/use-action.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { buttonClass } from '../../components/button/button.tsx';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { Badge } from '../../components/text/badge.tsx';
import { Time } from '../../components/text/time.tsx';
import {
  type ConnectionType,
  connectionDescriptions,
  describeConnectionState,
  describeNextStep,
} from '../../words/connections/connections.ts';
import { newerConnectionWords } from '../../words/connections/newer-connection.ts';
import styles from './connections.module.css';
import { refreshConnections } from './connections-query.ts';

const icons: Readonly<Record<ConnectionType, LucideIcon>> = {
  'crm-a': UserRoundPlus,
  'crm-b': Workflow,
  'help-desk': Headset,
};

type Props = {
  type: ConnectionType;
  connection: ConnectionView | undefined;
  onMade: (made: Answer<typeof createConnection>) => void;
};

/** A connection, or a description of what it would do and need. */
export function ConnectionCard({ type, connection, onMade }: Props) {
  const Icon = icons[type];
  const { vendor, gives, needs } = connectionDescriptions[type];
  const state = connection ? describeConnectionState(connection) : { name: 'Not connected', tone: 'plain' as const };
  return (
    <section className={styles.card} aria-label={connectionNames[type]}>
      <div className={styles.head}>
        <span className={styles.icon}>
          <Icon aria-hidden="true" />
        </span>
        <div>
          <h2>{connectionNames[type]}</h2>
          <p className={styles.muted}>{vendor}</p>
        </div>
        <Badge tone={state.tone}>{state.name}</Badge>
      </div>
      <p>{gives}</p>
      {connection ? <State connection={connection} /> : <p className={styles.muted}>{needs}</p>}
      {connection ? <Open connection={connection} /> : <Connect type={type} onMade={onMade} />}
    </section>
  );
}

/** A connection that only a newer version of the service can read. */
export function NewerConnectionCard({ connection }: { connection: NewerConnection }) {
  return (
    <section className={styles.card} aria-label={connection.type}>
      <div className={styles.head}>
        <span className={styles.icon}>
          <Plug aria-hidden="true" />
        </span>
        <div>
          <h2>{connection.type}</h2>
          <p className={styles.muted}>
            Created <Time at={connection.created_at} />
          </p>
        </div>
        <Badge tone="plain">{newerConnectionWords.name}</Badge>
      </div>
      <p>{newerConnectionWords.sentence}</p>
    </section>
  );
}

function State({ connection }: { connection: ConnectionView }) {
  const { health, type, auto_call } = connection;
  const nextStep = describeNextStep(connection);
  return (
    <ul className={styles.state}>
      {nextStep && <li className={styles.next}>{nextStep.title}</li>}
      {type !== 'help-desk' && !auto_call && <li>Auto-call is off: leads are recorded but not called.</li>}
      {health.last_delivery_at && (
        <li className={styles.muted}>
          Last delivery <Time at={health.last_delivery_at} />
        </li>
      )}
    </ul>
  );
}

function Open({ connection }: { connection: ConnectionView }) {
  const { connection_id, type, next_step, health } = connection;
  const isNew = health.status === 'healthy' || health.status === 'not_connected';
  const action = next_step === null ? 'Open' : isNew ? 'Continue setup' : 'See what to do';
  return (
    <div>
      <Link
        to="/connections/$id"
        params={{ id: connection_id }}
        search={{}}
        className={buttonClass(next_step ? 'primary' : 'secondary')}
        aria-label={`${action}: ${connectionNames[type]}`}
      >
        {action}
      </Link>
    </div>
  );
}

function Connect({ type, onMade }: Pick<Props, 'type' | 'onMade'>) {
  const me = useMe();
  const navigate = useNavigate();
  const { run, isBusy, failure } = useAction();
  const connect = async () => {
    await run(async () => {
      const made = await callApi(createConnection, { body: { type } });
      if (made.token === null)
        await navigate({ to: '/connections/$id', params: { id: made.connection.connection_id }, search: {} });
      else onMade(made);
    });
    await refreshConnections();
  };
  return (
    <div>
      {failure !== undefined && <ErrorNotice error={failure} />}
      <GuardedButton
        variant="primary"
        isBusy={isBusy}
        disabledReason={deniedReason(me, createConnection)}
        aria-label={`Connect ${connectionNames[type]}`}
        onClick={connect}
      >
        Connect
      </GuardedButton>
    </div>
  );
}
