import type { ReactNode } from 'react';
import { ApiError } from '../../app/api/api-error.ts';
import { Card } from '../layout/card.tsx';
import { Page } from '../layout/page.tsx';
import { Failure } from './failure.tsx';
import { Skeleton } from './skeleton.tsx';

type Props = {
  /** The page's subject: "call". */
  what: string;
  /** The error code of an unknown id. */
  unknown: string;
  read: { isPending: boolean; error: unknown; refetch: () => unknown };
  /** The link to the list. */
  children: ReactNode;
};

/** One item's page while it is loading, or if it cannot be read. */
export function UnreadPage({ what, unknown, read: { isPending, error, refetch }, children }: Props) {
  const isUnknown = error instanceof ApiError && error.code === unknown;
  return (
    <Page title={isUnknown ? `No such ${what}` : `${what[0]?.toUpperCase()}${what.slice(1)}`}>
      {isPending ? (
        <Card>
          <Skeleton what={`Loading the ${what}`} lines={8} />
        </Card>
      ) : (
        <Failure error={error} {...(!isUnknown && { retry: () => refetch() })}>
          <p>{children}</p>
        </Failure>
      )}
    </Page>
  );
}
