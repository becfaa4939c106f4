import { OwnLink } from './own-link.tsx';

/** So many characters tell calls apart. */
const SHOWN = 8;

/** The way to the page of a call, named by the end of its id. */
export const CallLink = ({ callId }: { callId: string }) => (
  <OwnLink href={`/calls/${encodeURIComponent(callId)}`}>call …{callId.slice(-SHOWN)}</OwnLink>
);
