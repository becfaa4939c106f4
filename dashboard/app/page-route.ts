import { lazyRouteComponent } from '@tanstack/react-router';

/** Where a link leads. */
export type Place<Search = object> = { params: Readonly<Record<string, string>>; search: Search };

type PageModule = {
  /** Begins to read what the page shows first. It must be allowed to every role. */
  readAhead: (place: never) => unknown;
};

type Load = { cause: string; params: object; deps: object };

/**
 * A page that is loaded when it is needed, and read ahead when the pointer or the focus stays on a link to it. The read
 * also warms the function that the page asks.
 * @param load imports the page's module
 * @param name the component's name in it
 */
export function pageRoute<Module extends PageModule, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) {
  const component = lazyRouteComponent(load, name);
  const route = {
    component,
    loaderDeps: ({ search }: { search: object }) => search,
    loader: ({ cause, params, deps }: Load) => {
      // Not awaited: a click meanwhile shows the page at once, and the page joins the read that is under way.
      if (cause === 'preload') void load().then(({ readAhead }) => readAhead({ params, search: deps } as never));
    },
  };
  // Without the loader in the type: the router would take the route's parameters from it.
  return route as { component: typeof component };
}
