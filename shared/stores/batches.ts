/** The quotas of one request. */
type Quotas = {
  entries: number;
  /** Of all entries together. */
  bytes: number;
};

/**
 * Divides entries, in their order, into batches within the quotas of a request. An entry that alone exceeds the bytes
 * gets a batch of its own, which the service refuses.
 * @param textOf the part of an entry that counts
 */
export function batchesOf<Entry>(
  entries: readonly Entry[],
  quotas: Quotas,
  textOf: (entry: Entry) => string,
): Entry[][] {
  const batches: Entry[][] = [];
  let room = 0;
  for (const entry of entries) {
    const bytes = Buffer.byteLength(textOf(entry));
    const last = batches.at(-1);
    if (last && last.length < quotas.entries && bytes <= room) last.push(entry);
    else {
      batches.push([entry]);
      room = quotas.bytes;
    }
    room -= bytes;
  }
  return batches;
}
