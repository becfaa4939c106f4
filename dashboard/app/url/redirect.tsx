import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/**
 * Opens another page of the dashboard once. While the new page's script loads, the old page is rendered repeatedly,
 * with the new address.
 * @param path with its search, fixed at the first render
 */
export function Redirect({ path }: { path: string }) {
  const { history } = useRouter();
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above.
  useEffect(() => history.replace(path), []);
  return null;
}
