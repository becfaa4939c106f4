import { useQuery } from '@tanstack/react-query';
import { queryClient } from '../../app/query/query-client.ts';
import { Card } from '../../components/layout/card.tsx';
import { Page } from '../../components/layout/page.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { Notice } from '../../components/message/notice.tsx';
import { Skeleton } from '../../components/message/skeleton.tsx';
import { Time } from '../../components/text/time.tsx';
import { Destinations } from './destinations.tsx';
import { OrganizationForm } from './organization-form.tsx';
import { organizationQuery } from './organization-query.ts';
import { Retention } from './retention.tsx';

export const prefetch = () => queryClient.prefetchQuery(organizationQuery);

/** Name, region, own numbers and limits of the organization. */
export function OrganizationPage() {
  const { data: org, error, refetch } = useQuery(organizationQuery);
  return (
    <Page title="Organization" lead="Settings that all calls of your organization share.">
      {org === undefined && !error && (
        <Card>
          <Skeleton label="Loading the organization" />
        </Card>
      )}
      {org === undefined && error && <ErrorNotice error={error} onRetry={() => refetch()} />}
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
      {org && <Retention org={org} />}
    </Page>
  );
}
