const forms = { call_id: /^call_[\da-f]{32}$/, connection_id: /^conn_[\da-f]{24}$/ };

type LoggedIds = Partial<Record<keyof typeof forms, string>>;

/**
 * Returns the ids of a call and a connection in a path, for the log lines of its request. Other text stays out of the
 * log, because anyone can send any path.
 */
export function idsInPath(path: Readonly<Record<string, string | undefined>>): LoggedIds {
  const ids: LoggedIds = {};
  for (const value of Object.values(path))
    for (const name of Object.keys(forms) as (keyof typeof forms)[])
      if (value !== undefined && forms[name].test(value)) ids[name] = value;
  return ids;
}

/** Returns the ids of a message or of an item's key by which log lines are searched. */
export const idsIn = (message: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(message).filter(([name]) => /^(call|event|connection)_id$/.test(name)));

/** Returns the distinct ids of all messages, under their plural names: `call_ids`. */
export function idsOfAll(messages: readonly object[]): Record<string, unknown[]> {
  const all = new Map<string, Set<unknown>>();
  for (const message of messages)
    for (const [name, id] of Object.entries(idsIn(message))) {
      const ids = all.get(`${name}s`) ?? new Set();
      all.set(`${name}s`, ids.add(id));
    }
  return Object.fromEntries([...all].map(([name, ids]) => [name, [...ids]]));
}
