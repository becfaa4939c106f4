import { useQuery } from '@tanstack/react-query';
import { refetchAfter, refetchIntervals } from '../../app/query/refetch-intervals.ts';
import { errorToShow } from '../../app/query/stale-data.ts';
import { overviewQuery } from '../../app/shared-queries/overview.ts';
import { type OverviewRange, overviewRanges } from '../../app/url/home-search.ts';
import { SegmentedControl } from '../../components/button/segmented-control.tsx';
import { CreditChart } from '../../components/chart/credit-chart.tsx';
import { Card } from '../../components/layout/card.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { Skeleton } from '../../components/message/skeleton.tsx';
import { summarizeCredits } from '../../words/overview/overview.ts';

type Props = { days: OverviewRange; onChoose: (days: OverviewRange) => void };

/** Credits charged per day. */
export function CreditPace({ days, onChoose }: Props) {
  const overview = useQuery({
    ...overviewQuery(days),
    refetchInterval: ({ state }) => refetchAfter(refetchIntervals.slow, state),
  });
  const { data } = overview;
  const error = errorToShow(overview);
  const ranges = overviewRanges.map((range) => [range, `${range} days`] as const);
  return (
    <Card
      title="Credits per day"
      {...(data?.usage && { lead: summarizeCredits(data.usage) })}
      action={<SegmentedControl label="Days that the chart shows" options={ranges} value={days} onChoose={onChoose} />}
    >
      {error !== null && <ErrorNotice error={error} onRetry={() => overview.refetch()} />}
      {data?.usage && <CreditChart days={data.usage} />}
      {data && !data.usage && <p>The credits of each day cannot be read right now.</p>}
      {!data && error === null && <Skeleton label="Loading the credits of each day" />}
    </Card>
  );
}
