import { fileRetention } from '../../../../../shared/stores/calls/files/file-retention.ts';

const call = { org_id: 'org', call_id: 'call_1' };

/** A bucket with these versions of a transcript, and a delete marker; it records the tags of each version. */
function aBucket(versions: readonly string[]) {
  const Key = 'transcripts/org/call_1.txt';
  const tags: Record<string, string | null> = {};
  const send = async ({
    input,
    constructor: { name },
  }: {
    input: Record<string, unknown>;
    constructor: { name: string };
  }) => {
    if (name === 'ListObjectVersionsCommand')
      return input.Prefix === 'transcripts/org/call_1.'
        ? { Versions: versions.map((VersionId) => ({ Key, VersionId })), DeleteMarkers: [{ Key, VersionId: 'marker' }] }
        : {};
    const { TagSet: [tag] = [] } = (input.Tagging ?? {}) as { TagSet?: { Value: string }[] };
    tags[`${input.Key} ${input.VersionId}`] = tag?.Value ?? null;
    return {};
  };
  return { tags, files: fileRetention({ send } as never, 'b') };
}

describe('the retention of a file', () => {
  it.each([
    [['v1', 'v2'], 7, { 'transcripts/org/call_1.txt v1': '7', 'transcripts/org/call_1.txt v2': '7' }],
    [['v1'], undefined, { 'transcripts/org/call_1.txt v1': null }],
    [['null'], 30, { 'transcripts/org/call_1.txt undefined': '30' }],
  ])('applies to its former versions, too: %j', async (versions, days, expected) => {
    const { tags, files } = aBucket(versions);
    for (const version of await files.versionsOf(call, 'transcripts')) await files.keep(version, days);
    expect(tags).toEqual(expected);
  });
});
