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

/** Shows the tabs for all, live and scheduled calls, the latter two with counts. A tab keeps the other filters. */
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
            // Without `exact`, “All” would also be marked as current on other tabs.
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
