import { Readable } from 'node:stream';
import { isBlob, isReadableStream, isStreamingPayload } from '../../../../shared/runtime/lambda/lambda-streams.ts';

const web = () => new Blob(['a']).stream();

describe('a body', () => {
  it.each([
    ['a web stream', web(), true],
    ['a transformed web stream', web().pipeThrough(new TransformStream()), true],
    ['a stream of Node.js', Readable.from(['a']), false],
    ['a blob', new Blob(['a']), false],
    ['bytes', Buffer.from('a'), false],
    ['no body', undefined, false],
  ])('that is %s is found to be a web stream or not', (_, body, expected) => {
    expect(isReadableStream(body)).toBe(expected);
  });

  it.each([
    ['a blob', new Blob(['a']), true],
    ['a file', new File(['a'], 'a.txt'), true],
    ['a web stream', web(), false],
    ['no body', undefined, false],
  ])('that is %s is found to be a blob or not', (_, body, expected) => {
    expect(isBlob(body)).toBe(expected);
  });

  it.each([
    ['a stream of Node.js', Readable.from(['a']), true],
    ['a web stream', web(), true],
    ['bytes', Buffer.from('a'), false],
    ['no body', undefined, false],
  ])('that is %s can or cannot be sent twice', (_, body, expected) => {
    expect(isStreamingPayload({ body })).toBe(expected);
  });
});
