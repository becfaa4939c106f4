import type { ReactNode } from 'react';
import { OwnLink } from './own-link.tsx';

/** A link to a lead's events, and to why it was or was not called. */
export const LeadLink = ({ leadId, children = leadId }: { leadId: string; children?: ReactNode }) => (
  <OwnLink href={`/leads?${new URLSearchParams({ ask: leadId })}`}>{children}</OwnLink>
);
