import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/**
 * Returns whether an element is narrower than a limit. Each table has its own limit, which a container query cannot
 * read.
 * @param limit in pixels
 */
export function useIsNarrow<Of extends HTMLElement>(limit: number): [ref: RefObject<Of | null>, isNarrow: boolean] {
  const ref = useRef<Of>(null);
  const [isNarrow, setNarrow] = useState(false);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => setNarrow(element.clientWidth < limit);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [limit]);
  return [ref, isNarrow];
}
