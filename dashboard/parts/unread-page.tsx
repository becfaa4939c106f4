import type { ReactNode } from 'react';
import { ApiError } from '../app/api-error.ts';
import { Card } from './card.tsx';
import { Failure } from './failure.tsx';
import { Page } from './page.tsx';
import { Skeleton } from './skeleton.tsx';

type Props = {
  /** The thing that the page is about: "call". */
  what: string;
  /** The code of an id that belongs to nothing. */
  unknown: string;
  read: { isPending: boolean; error: unknown; refetch: () => unknown };
  /** The link to all things of this kind. */
  children: ReactNode;
};

/** The page of one thing while it is read, or where it cannot be read. */
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
