import type { ReactNode } from 'react';
import { OwnLink } from './own-link.tsx';

/** The way to what came in of a lead, and why it was or was not called. */
export const LeadLink = ({ leadId, children = leadId }: { leadId: string; children?: ReactNode }) => (
  <OwnLink href={`/leads?${new URLSearchParams({ ask: leadId })}`}>{children}</OwnLink>
);
