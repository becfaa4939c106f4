import type { OrganizationView } from '../../../shared/messages/dashboard/organization.ts';

const formatRetention = (days: number | null): string => {
  if (days === null) return 'As set by the service';
  return days === 0 ? 'For good' : `${days} days`;
};

/** Lists the kinds of data and their retention. Files never outlive their call. */
export const describeRetention = ({ retention }: Pick<OrganizationView, 'retention'>) => [
  { what: 'Calls, with their analysis', kept: formatRetention(retention.calls) },
  { what: 'Recordings', kept: formatRetention(retention.recordings) },
  { what: 'Transcripts', kept: formatRetention(retention.transcripts) },
  { what: 'Activity of leads', kept: formatRetention(retention.activity) },
];
