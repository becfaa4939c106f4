import { lazyRouteComponent } from '@tanstack/react-router';
import { loadPage } from '../api/load-page.ts';

/** The target of a link. */
export type LinkTarget<Search = object> = { params: Readonly<Record<string, string>>; search: Search };

type PageModule = {
  /** Starts to read the first data of the page. Every role must be allowed to read it. */
  prefetch: (place: never) => unknown;
};

type Load = { cause: string; params: object; deps: object };

/**
 * Makes a page's script load on demand.
 * @param load imports the page's module
 * @param name the component's name in it
 */
export const lazyPage = <Module extends Record<string, unknown>, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) => lazyRouteComponent(() => loadPage(load), name);

/**
 * Makes a page load on demand, and preload while the pointer or the focus rests on a link to it. The preload also warms
 * the function that the page calls.
 * @param load imports the page's module
 * @param name the component's name in it
 */
export function pageRoute<Module extends PageModule, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) {
  const component = lazyPage(load, name);
  const route = {
    component,
    loaderDeps: ({ search }: { search: object }) => search,
    loader: ({ cause, params, deps }: Load) => {
      // Not awaited: a click shows the page at once, and the page joins the pending read.
      if (cause === 'preload') void loadPage(load).then(({ prefetch }) => prefetch({ params, search: deps } as never));
    },
  };
  // Hides the loader from the type; the router would otherwise infer the route's parameters from it.
  return route as { component: typeof component };
}
