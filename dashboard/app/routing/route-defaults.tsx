import type { RouteComponent } from '@tanstack/react-router';
import { Skeleton } from '../../components/message/skeleton.tsx';
import { ErrorPage, NotFoundPage } from '../../pages/error-pages.tsx';

/** The pages' loading and error states, and when pages are loaded. */
export const defaults = {
  defaultPreload: 'intent',
  // Long enough that a pointer that crosses a list preloads no row.
  defaultPreloadDelay: 100,
  // Shown while the script of the next page is loaded.
  defaultPendingComponent: () => <Skeleton lines={6} />,
  defaultPendingMs: 200,
  defaultPendingMinMs: 0,
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFoundPage as RouteComponent,
} as const;
