/** Replaces `bowser` in the bundles (lib/bundle.ts): the SDK asks it for the name of a browser, in browsers alone. */
export {};
