import { useRouter } from '@tanstack/react-router';
import type { ComponentProps, MouseEvent } from 'react';

type Props = Omit<ComponentProps<'a'>, 'href' | 'onClick'> & {
  /** A path of the dashboard, with its query. */
  href: string;
};

/** A link to a page whose address is built at run time. It opens without reloading the app. */
export function InternalLink({ href, children, ...rest }: Props) {
  const { history } = useRouter();
  const go = (event: MouseEvent) => {
    const isForAnotherTab = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (isForAnotherTab) return;
    event.preventDefault();
    history.push(href);
  };
  return (
    <a {...rest} href={href} onClick={go}>
      {children}
    </a>
  );
}
