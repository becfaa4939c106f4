import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Overview } from '../../../shared/messages/dashboard/overview.ts';
import { overviewRanges, readRange } from '../../app/home-search.ts';
import { useMe } from '../../app/me.ts';
import { overviewQuery } from '../../app/overview.ts';
import type { Place } from '../../app/page-route.ts';
import { queryClient } from '../../app/query.ts';
import { ownError } from '../../app/stale.ts';
import { Card } from '../../parts/card.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Page } from '../../parts/page.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { greetingAt } from '../../words/greeting.ts';
import { AfterConsent } from './after-consent.tsx';
import { Attention } from './attention.tsx';
import { CallsByDay, CreditsByDay } from './by-day.tsx';
import { ConnectionHealth } from './connection-health.tsx';
import { FirstSteps } from './first-steps.tsx';
import styles from './home.module.css';
import { LeadsToday } from './leads-today.tsx';
import { Today } from './today.tsx';
import { Unread } from './unread.tsx';

const ranges = overviewRanges.map((days) => [days, `${days} days`] as const);

export const readAhead = ({ search }: Place<{ days?: string }>) =>
  queryClient.prefetchQuery(overviewQuery(readRange(search.days)));

/** Whether all is well, and what needs somebody. */
export function Home() {
  const me = useMe();
  const days = readRange(useSearch({ from: '/shell/' }).days);
  const navigate = useNavigate();
  const overview = useQuery(overviewQuery(days));
  const { data } = overview;
  const error = ownError(overview);
  return (
    <Page
      title={`${greetingAt(new Date())}, ${me.name}`}
      lead="Here is how your organization stands."
      actions={
        <Segments
          label="Days that the charts show"
          options={ranges}
          value={days}
          choose={(next) =>
            navigate({ to: '/', search: next === '7' ? {} : { days: next }, replace: true, resetScroll: false })
          }
        />
      }
    >
      <AfterConsent />
      {error !== null && <Failure error={error} retry={() => overview.refetch()} />}
      {data ? <Parts overview={data} /> : error === null && <Loading />}
    </Page>
  );
}

const Loading = () => (
  <Card>
    <Skeleton what="Loading the overview" lines={8} />
  </Card>
);

function Parts({ overview }: { overview: Overview }) {
  const { usage, steps } = overview;
  return (
    <>
      <Attention overview={overview} />
      {steps && <FirstSteps steps={steps} />}
      <Today overview={overview} />
      {usage ? (
        <div className={styles.columns}>
          <CallsByDay days={usage} />
          <CreditsByDay days={usage} credit={overview.credit} />
        </div>
      ) : (
        <Unread what="The calls and credits of each day" />
      )}
      <div className={styles.columns}>
        <LeadsToday overview={overview} />
        <ConnectionHealth connections={overview.connections} at={overview.at} />
      </div>
    </>
  );
}
