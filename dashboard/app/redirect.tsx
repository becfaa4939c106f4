import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/**
 * Goes to another page of the dashboard, once: while the new page's script is loaded, the old page is rendered again
 * and again, with the new address.
 * @param path with its search, decided when this is first rendered
 */
export function Redirect({ path }: { path: string }) {
  const { history } = useRouter();
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above.
  useEffect(() => history.replace(path), []);
  return null;
}
