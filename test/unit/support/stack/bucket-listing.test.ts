import { uploadsBelow, versionsBelow } from '../../../support/stack/bucket-listing.ts';

type Input = { KeyMarker?: string; VersionIdMarker?: string; UploadIdMarker?: string };

/** A bucket whose lists have a second page. */
const bucket = {
  send: async ({ input: { KeyMarker, VersionIdMarker, UploadIdMarker } }: { input: Input }) => {
    if (KeyMarker === undefined)
      return {
        ...{ Versions: [{ Key: 'a' }], Uploads: [{ Key: 'a' }] },
        ...{ IsTruncated: true, NextKeyMarker: 'a', NextVersionIdMarker: '1', NextUploadIdMarker: '1' },
      };
    expect([KeyMarker, VersionIdMarker ?? UploadIdMarker]).toEqual(['a', '1']);
    return { Versions: [{ Key: 'b' }], Uploads: [{ Key: 'b' }], IsTruncated: false };
  },
};

test.each([
  ['versions', versionsBelow],
  ['unfinished uploads', uploadsBelow],
])('the search of a bucket reads every page of its %s', async (_, below) => {
  const keys: unknown[] = [];
  for await (const { Key } of below(bucket as never, 'bucket', 'recordings/')) keys.push(Key);
  expect(keys).toEqual(['a', 'b']);
});
