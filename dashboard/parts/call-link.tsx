import { OwnLink } from './own-link.tsx';

/** So many characters tell calls apart. */
const SHOWN = 8;

/** The way to the page of a call, named by its number, or, where that is not given, by the end of its id. */
export const CallLink = ({ callId, name }: { callId: string; name?: string | undefined }) => (
  <OwnLink href={`/calls/${encodeURIComponent(callId)}`}>{name ?? `call …${callId.slice(-SHOWN)}`}</OwnLink>
);
