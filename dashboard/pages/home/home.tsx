import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Overview } from '../../../shared/messages/dashboard/overview.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { errorToShow } from '../../app/query/stale-data.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { overviewQuery } from '../../app/shared-queries/overview.ts';
import { overviewRanges, readRange } from '../../app/url/home-search.ts';
import type { LinkTarget } from '../../app/url/page-route.ts';
import { SegmentedControl } from '../../components/button/segmented-control.tsx';
import { Card } from '../../components/layout/card.tsx';
import { Page } from '../../components/layout/page.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { Skeleton } from '../../components/message/skeleton.tsx';
import { greetingAt } from '../../words/overview/greeting.ts';
import { AfterConsent } from './after-consent.tsx';
import { Attention } from './attention.tsx';
import { CallsByDay, CreditsByDay } from './by-day.tsx';
import { ConnectionHealth } from './connection-health.tsx';
import { FirstSteps } from './first-steps.tsx';
import styles from './home.module.css';
import { LeadsToday } from './leads-today.tsx';
import { Today } from './today.tsx';
import { Unavailable } from './unavailable.tsx';

const ranges = overviewRanges.map((days) => [days, `${days} days`] as const);

export const prefetch = ({ search }: LinkTarget<{ days?: string }>) =>
  queryClient.prefetchQuery(overviewQuery(readRange(search.days)));

/** The overview, and what needs attention. */
export function Home() {
  const me = useMe();
  const days = readRange(useSearch({ from: '/shell/' }).days);
  const navigate = useNavigate();
  const overview = useQuery(overviewQuery(days));
  const { data } = overview;
  const error = errorToShow(overview);
  return (
    <Page
      title={`${greetingAt(new Date())}, ${me.name}`}
      lead="Your organization at a glance."
      actions={
        <SegmentedControl
          label="Days that the charts show"
          options={ranges}
          value={days}
          onChoose={(next) =>
            navigate({ to: '/', search: next === '7' ? {} : { days: next }, replace: true, resetScroll: false })
          }
        />
      }
    >
      <AfterConsent />
      {error !== null && <ErrorNotice error={error} onRetry={() => overview.refetch()} />}
      {data ? <OverviewSections overview={data} /> : error === null && <Loading />}
    </Page>
  );
}

const Loading = () => (
  <Card>
    <Skeleton label="Loading the overview" lines={8} />
  </Card>
);

function OverviewSections({ overview }: { overview: Overview }) {
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
        <Unavailable what="The calls and credits of each day" />
      )}
      <div className={styles.columns}>
        <LeadsToday overview={overview} />
        <ConnectionHealth {...overview} />
      </div>
    </>
  );
}
