import { useEffect, useState } from 'react';
import type { CallRow } from '../../../shared/messages/dashboard/calls.ts';
import { statusWords } from '../../words/calls/calls.ts';
import { wordsIn } from '../../words/newer.ts';
import { formatElapsed } from '../../words/times.ts';
import { Badge } from './badge.tsx';

/** A call's status. A dot marks live calls. */
export function CallStatusBadge({ status }: Pick<CallRow, 'status'>) {
  const { name, tone } = wordsIn(statusWords, status);
  return (
    <Badge tone={tone} hasDot={status === 'dialing' || status === 'ringing' || status === 'in_progress'}>
      {name}
    </Badge>
  );
}

/** "0:41": the talk time so far. It counts by itself. @param since ISO 8601. */
export function ElapsedTime({ since }: { since: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return formatElapsed(since, now);
}
