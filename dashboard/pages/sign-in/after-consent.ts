/** Returns whether the return path after the sign-in comes from a pending consent. */
export const isAfterPendingConsent = (path: string | undefined): boolean =>
  path !== undefined && new URLSearchParams(path.split('?')[1]).has('pending');
