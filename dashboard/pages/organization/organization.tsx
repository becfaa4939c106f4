import { useQuery } from '@tanstack/react-query';
import { queryClient } from '../../app/query.ts';
import { Card } from '../../parts/card.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Time } from '../../parts/time.tsx';
import { Destinations } from './destinations.tsx';
import { Kept } from './kept.tsx';
import { OrganizationForm } from './organization-form.tsx';
import { organizationQuery } from './organization-query.ts';

export const readAhead = () => queryClient.prefetchQuery(organizationQuery);

/** Name, region, own numbers and limits of the organization. */
export function OrganizationPage() {
  const { data: org, error, refetch } = useQuery(organizationQuery);
  return (
    <Page title="Organization" lead="What all calls of your organization have in common.">
      {org === undefined && !error && (
        <Card>
          <Skeleton what="Loading the organization" />
        </Card>
      )}
      {org === undefined && error && <Failure error={error} retry={() => refetch()} />}
      {org?.is_suspended && (
        <Notice tone="warn" title="Your organization is suspended">
          <p>Its calls wait. Only your operator can resume it.</p>
        </Notice>
      )}
      {org && (
        <Card
          title="Settings"
          lead={
            org.updated_at && (
              <>
                Changed <Time at={org.updated_at} /> by {org.updated_by}
              </>
            )
          }
        >
          <OrganizationForm org={org} />
        </Card>
      )}
      {org && <Destinations org={org} />}
      {org && <Kept org={org} />}
    </Page>
  );
}
