/** The way to the page of a call. */
export const CallLink = ({ callId }: { callId: string }) => (
  <a href={`/calls/${encodeURIComponent(callId)}`}>{callId}</a>
);
