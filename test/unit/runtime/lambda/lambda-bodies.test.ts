import { Readable } from 'node:stream';
import { calculateBodyLength as bySdk } from '@smithy/core/serde';
import { calculateBodyLength } from '../../../../shared/runtime/lambda/lambda-bodies.ts';

describe('the length of a body in the bundles', () => {
  it.each([
    undefined,
    '',
    'text',
    'नमस्ते',
    Buffer.from('नमस्ते'),
    new Uint8Array(3),
    new ArrayBuffer(4),
    new Blob(['abc']),
  ])('is that of the SDK for %p', (body) => {
    expect(calculateBodyLength(body)).toBe(bySdk(body));
  });

  it('is unknown for a stream, as for the SDK', () => {
    const stream = Readable.from(['a']) as never;
    expect(() => bySdk(stream)).toThrow();
    expect(() => calculateBodyLength(stream)).toThrow();
  });
});
