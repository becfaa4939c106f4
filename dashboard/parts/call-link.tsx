import { phoneInWords } from '../words/calls.ts';
import { OwnLink } from './own-link.tsx';

/** So many characters tell calls apart. */
const SHOWN = 8;

/** The way to the page of a call, named by its number, or, where that is not known, by the end of its id. */
export const CallLink = ({ callId, phone }: { callId: string; phone?: string | undefined }) => (
  <OwnLink href={`/calls/${encodeURIComponent(callId)}`}>
    {phone === undefined ? `call …${callId.slice(-SHOWN)}` : phoneInWords(phone)}
  </OwnLink>
);
