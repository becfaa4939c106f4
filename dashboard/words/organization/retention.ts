import type { OrganizationView } from '../../../shared/messages/dashboard/organization.ts';

const keptInWords = (days: number | null): string => {
  if (days === null) return 'As set by the service';
  return days === 0 ? 'For good' : `${days} days`;
};

/** The kinds of data and their retention. Files never outlive their call. */
export const retentionInWords = ({ retention }: Pick<OrganizationView, 'retention'>) => [
  { what: 'Calls, with their analysis', kept: keptInWords(retention.calls) },
  { what: 'Recordings', kept: keptInWords(retention.recordings) },
  { what: 'Transcripts', kept: keptInWords(retention.transcripts) },
  { what: 'Activity of leads', kept: keptInWords(retention.activity) },
];
