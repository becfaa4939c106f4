import { OwnLink } from './own-link.tsx';

/** The way to the page of a call. */
export const CallLink = ({ callId }: { callId: string }) => (
  <OwnLink href={`/calls/${encodeURIComponent(callId)}`}>{callId}</OwnLink>
);
