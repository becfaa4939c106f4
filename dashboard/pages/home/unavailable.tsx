import { Notice } from '../../components/message/notice.tsx';

/** Replaces a part that could not be read. The page retries by itself. */
export const Unavailable = ({ what }: { what: string }) => (
  <Notice tone="warn" title={`${what} cannot be read right now.`}>
    They appear here as soon as they can be read again.
  </Notice>
);
