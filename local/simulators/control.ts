/** Speaks to a simulator's control routes. @param name the simulator's, for what it refuses. @throws with its words. */
export function controlOf(name: string, url: string) {
  return async function ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${url}/_simulator/${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (!response.ok) throw new Error(`The ${name} simulator refused ${method} ${path}: ${await response.text()}`);
    return (await response.json()) as Answer;
  };
}
