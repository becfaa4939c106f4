import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CallFilters } from '../../app/url/call-filters.ts';
import { TabCount, Tabs, tabClass } from '../../components/layout/tabs.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { formatCount } from '../../words/overview/overview.ts';
import { callCounts } from './calls-query.ts';

const tabs = [
  [undefined, 'All'],
  ['live', 'Live'],
  ['scheduled', 'Scheduled'],
] as const;

/** The tabs: all calls, or those in progress with their number. The other filters stay. */
export function CallsTabs({ filters }: { filters: CallFilters }) {
  const { data } = useQuery(callCounts);
  const { phase: shown, ...rest } = filters;
  return (
    <Tabs label="Calls by state">
      {tabs.map(([phase, name]) => {
        const count = phase && data?.counts?.[phase];
        return (
          <Link
            key={name}
            to="/calls"
            search={{ ...rest, ...(phase && { phase }) }}
            replace
            resetScroll={false}
            className={tabClass}
            activeProps={{}}
            // Without it, “All” would also be marked as current on other tabs.
            activeOptions={{ exact: true }}
            aria-current={shown === phase ? 'page' : undefined}
          >
            {name}
            {count && (
              <TabCount>
                {formatCount(count)}
                <VisuallyHidden> calls</VisuallyHidden>
              </TabCount>
            )}
          </Link>
        );
      })}
    </Tabs>
  );
}
