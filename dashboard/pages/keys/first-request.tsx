import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMe } from '../../app/me.ts';
import { Copy } from '../../parts/copy.tsx';
import { PlainSelect } from '../../parts/field.tsx';
import { type FirstCall, firstRequest, missingOf } from '../../words/permissions.ts';
import { assistantsQuery } from '../assistants/assistants-query.ts';
import styles from './keys.module.css';

type Props = { value: string; permissions?: readonly string[] };

/** A line that a program's first call can be tried with: by an assistant of one's own, to one's own phone. */
export function FirstRequest({ value, permissions = ['calls:write'] }: Props) {
  const me = useMe();
  const mayCall = permissions.includes('calls:write');
  const { data } = useInfiniteQuery({ ...assistantsQuery, enabled: mayCall });
  const assistants = data?.pages.flatMap(({ items }) => items) ?? [];
  const [chosen, choose] = useState<string>();
  const call: FirstCall = { phone: me.phone ?? undefined, assistantId: chosen ?? assistants[0]?.assistant_id };
  const line = firstRequest(window.location.origin, value, permissions, call);
  const missing = mayCall && data ? missingOf(call) : undefined;
  return (
    <div className={styles.try}>
      {mayCall && assistants.length > 1 && (
        <PlainSelect label="Assistant" value={call.assistantId} onChange={({ target }) => choose(target.value)}>
          {assistants.map(({ assistant_id, name }) => (
            <option key={assistant_id} value={assistant_id}>
              {name}
            </option>
          ))}
        </PlainSelect>
      )}
      <code className={styles.curl}>{line}</code>
      <Copy text={line} what="curl line" />
      {missing && <p>{missing}</p>}
    </div>
  );
}
