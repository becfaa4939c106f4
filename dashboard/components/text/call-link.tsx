import { InternalLink } from './internal-link.tsx';

/** This many characters distinguish calls. */
const SHOWN = 8;

/** A link to a call's page, named by its number or, without one, by the end of its id. */
export const CallLink = ({ callId, name }: { callId: string; name?: string | undefined }) => (
  <InternalLink href={`/calls/${encodeURIComponent(callId)}`}>{name ?? `call …${callId.slice(-SHOWN)}`}</InternalLink>
);
