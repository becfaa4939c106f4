/** Whether a path that leads back after the sign-in comes from a consent that waits. */
export const isAfterPendingConsent = (path: string | undefined): boolean =>
  path !== undefined && new URLSearchParams(path.split('?')[1]).has('pending');
