import type { RouteComponent } from '@tanstack/react-router';
import { BrokenPage, UnknownPage } from '../pages/broken.tsx';
import { Skeleton } from '../parts/skeleton.tsx';

/** What a page shows in place of itself, and when it is loaded. */
export const defaults = {
  defaultPreload: 'intent',
  // A pointer that crosses a list reads none of its rows.
  defaultPreloadDelay: 100,
  // While the script of the next page is loaded.
  defaultPendingComponent: () => <Skeleton lines={6} />,
  defaultPendingMs: 200,
  defaultPendingMinMs: 0,
  defaultErrorComponent: BrokenPage,
  defaultNotFoundComponent: UnknownPage as RouteComponent,
} as const;
