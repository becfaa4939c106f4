import { queryOptions } from '@tanstack/react-query';
import { showOrganization } from '../../../shared/messages/dashboard/organization.ts';
import { callApi } from '../../app/session/browser-session.ts';

export const organizationQuery = queryOptions({
  queryKey: ['organization'],
  queryFn: ({ signal }) => callApi(showOrganization, { signal }),
});
