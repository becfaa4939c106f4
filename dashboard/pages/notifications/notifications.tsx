import { useQuery } from '@tanstack/react-query';
import { queryClient } from '../../app/query/query-client.ts';
import { Card } from '../../components/layout/card.tsx';
import { Page } from '../../components/layout/page.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { Notice } from '../../components/message/notice.tsx';
import { Skeleton } from '../../components/message/skeleton.tsx';
import { organizationQuery } from '../organization/organization-query.ts';
import { NoticeRolesForm } from './notice-roles-form.tsx';

export const prefetch = () => queryClient.prefetchQuery(organizationQuery);

/** Who receives notices about low credit and broken connections, and how. */
export function Notifications() {
  const { data: org, error, refetch } = useQuery(organizationQuery);
  return (
    <Page title="Notifications" lead="Find out about problems early.">
      {org === undefined && !error && (
        <Card>
          <Skeleton label="Loading the notifications" />
        </Card>
      )}
      {org === undefined && error && <ErrorNotice error={error} onRetry={() => refetch()} />}
      {org?.mail_from === null && (
        <Notice tone="info" title="This deployment sends no e-mails">
          <p>
            It has no sender address, so notices appear only in the app: on the overview and at the bell. Your operator
            can set one. Then the roles that you choose here get e-mails.
          </p>
        </Notice>
      )}
      {org && (
        <Card
          title="Who is notified"
          lead={`Everybody sees notices in the app. The roles that you tick also get e-mails${
            org.mail_from === null ? '' : ` from ${org.mail_from}`
          }: one when a problem begins, one when it ends.`}
        >
          <NoticeRolesForm org={org} />
        </Card>
      )}
    </Page>
  );
}
