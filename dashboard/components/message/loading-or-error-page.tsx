import type { ReactNode } from 'react';
import { ApiError } from '../../app/api/api-error.ts';
import { Card } from '../layout/card.tsx';
import { Page } from '../layout/page.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { Skeleton } from './skeleton.tsx';

type Props = {
  /** The page's subject: "call". */
  noun: string;
  /** The error code of an unknown id. */
  notFoundCode: string;
  query: { isPending: boolean; error: unknown; refetch: () => unknown };
  /** The link to the list. */
  children: ReactNode;
};

/** One item's page while it is loading, or if it cannot be read. */
export function LoadingOrErrorPage({ noun, notFoundCode, query: { isPending, error, refetch }, children }: Props) {
  const isNotFound = error instanceof ApiError && error.code === notFoundCode;
  return (
    <Page title={isNotFound ? `No such ${noun}` : `${noun[0]?.toUpperCase()}${noun.slice(1)}`}>
      {isPending ? (
        <Card>
          <Skeleton label={`Loading the ${noun}`} lines={8} />
        </Card>
      ) : (
        <ErrorNotice error={error} {...(!isNotFound && { onRetry: () => refetch() })}>
          <p>{children}</p>
        </ErrorNotice>
      )}
    </Page>
  );
}
