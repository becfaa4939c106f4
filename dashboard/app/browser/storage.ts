/** Reads local storage, which people can switch off. It has the preferences, and whether this browser has signed in. */
export function readStored(name: string): string | null {
  try {
    return localStorage.getItem(`dashboard.${name}`);
  } catch {
    return null;
  }
}

/** @param value null removes it */
export function writeStored(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`dashboard.${name}`);
    else localStorage.setItem(`dashboard.${name}`, value);
  } catch {
    // Without storage, a preference lasts until the page is closed.
  }
}
