import { useQuery } from '@tanstack/react-query';
import { queryClient } from '../../app/query.ts';
import { Card } from '../../parts/card.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { organizationQuery } from '../organization/organization-query.ts';
import { NoticeRolesForm } from './notice-roles-form.tsx';

export const readAhead = () => queryClient.prefetchQuery(organizationQuery);

/** Who is told of low credit and broken connections, and how. */
export function Notifications() {
  const { data: org, error, refetch } = useQuery(organizationQuery);
  return (
    <Page title="Notifications" lead="How you learn that somebody must act, before callers or leads do.">
      {org === undefined && !error && (
        <Card>
          <Skeleton what="Loading the notifications" />
        </Card>
      )}
      {org === undefined && error && <Failure error={error} retry={() => refetch()} />}
      {org?.mail_from === null && (
        <Notice tone="info" title="No e-mails are sent here">
          <p>
            This deployment has no sender address, so people are told in the app alone: on the overview and at the bell.
            Your operator can set one. Then the roles that you choose here get e-mails.
          </p>
        </Notice>
      )}
      {org && (
        <Card
          title="Who is told"
          lead={`Everybody is told in the app. The roles that you tick also get e-mails${
            org.mail_from === null ? '' : ` from ${org.mail_from}`
          }: one when it begins, one when it is over.`}
        >
          <NoticeRolesForm org={org} />
        </Card>
      )}
    </Page>
  );
}
