import type { ReactNode } from 'react';
import { InternalLink } from './internal-link.tsx';

/** A link to a lead's events, and to why it was or was not called. */
export const LeadLink = ({ leadId, children = leadId }: { leadId: string; children?: ReactNode }) => (
  <InternalLink href={`/leads?${new URLSearchParams({ ask: leadId })}`}>{children}</InternalLink>
);
