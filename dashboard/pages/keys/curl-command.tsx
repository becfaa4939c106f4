import { useInfiniteQuery } from '@tanstack/react-query';
import { useMe } from '../../app/shared-queries/me.ts';
import { CopyButton } from '../../components/button/copy-button.tsx';
import { Skeleton } from '../../components/message/skeleton.tsx';
import { describePlaceholders, firstCurlCommand } from '../../words/people/permissions.ts';
import { assistantsQuery } from '../assistants/assistants-query.ts';
import styles from './keys.module.css';

type Props = { apiKey: string; permissions: readonly string[]; callbackUrl?: string };

/** A request for a terminal, ready to run: the first assistant calls the person's own phone. */
export function CurlCommand({ apiKey, ...rest }: Props) {
  const me = useMe();
  const { data, isPending } = useInfiniteQuery(assistantsQuery);
  // Until the assistants are loaded, the line would not run.
  if (isPending) return <Skeleton lines={1} />;
  const [first] = data?.pages[0]?.items ?? [];
  const mine = { phone: me.phone ?? undefined, assistantId: first?.assistant_id };
  const line = firstCurlCommand({ origin: location.origin, key: apiKey, ...mine, ...rest });
  return (
    <div className={styles.try}>
      <code className={styles.curl}>{line}</code>
      {describePlaceholders(line, data !== undefined).map((sentence) => (
        <p key={sentence} className={styles.blank}>
          {sentence}
        </p>
      ))}
      <CopyButton text={line} what="curl line" />
    </div>
  );
}
