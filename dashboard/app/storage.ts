/** Local storage, which people can switch off. It never holds more than preferences. */
export function readStored(name: string): string | null {
  try {
    return localStorage.getItem(`dashboard.${name}`);
  } catch {
    return null;
  }
}

/** @param value null removes it */
export function store(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`dashboard.${name}`);
    else localStorage.setItem(`dashboard.${name}`, value);
  } catch {
    // It applies until the page is closed.
  }
}
