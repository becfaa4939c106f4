import fc from 'fast-check';
import { checkRecordingLink, recordingLink } from '../../../../shared/domain/after-call/recording-link.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { forAll } from '../../../support/values/for-all.ts';
import { comparedInConstantTime } from '../../support/constant-time.ts';

const now = new Date('2026-03-02T06:00:00.400Z');
const at = (seconds: number) => new Date(secondsAfter(now, seconds));
const callId = 'call_0123456789abcdef0123456789abcdef';
const DAYS_30 = 30 * 24 * 60 * 60;
const partsOf = (link: string) => Object.fromEntries(new URL(link).searchParams);
const linkOf = (key: string, id = callId) => recordingLink(key, 'https://calls.example', id, now);

describe('a link to a recording', () => {
  it('is an address below the base URL, which may end with a slash', () => {
    const [address, query] = linkOf('k').split('?');
    expect(address).toBe(`https://calls.example/api/recordings/${callId}`);
    expect(query).toMatch(/^expires=\d+&key=[0-9a-f]{8}&signature=[\w-]{43}$/);
    for (const base of ['https://calls.example/stage/', 'https://calls.example/stage'])
      expect(recordingLink('k', base, callId, now)).toContain('/stage/api/recordings/');
  });

  it('is valid for 30 days, to the second', () => {
    const parts = partsOf(linkOf('k'));
    expect(checkRecordingLink(['k'], callId, parts, now)).toBe('valid');
    expect(checkRecordingLink(['k'], callId, parts, at(DAYS_30 - 1))).toBe('valid');
    expect(checkRecordingLink(['k'], callId, parts, at(DAYS_30))).toBe('expired');
  });

  it('is valid while its key is the current or the former one', () => {
    const parts = partsOf(linkOf('old'));
    expect(checkRecordingLink(['new', 'old'], callId, parts, now)).toBe('valid');
    expect(checkRecordingLink(['newer', 'new'], callId, parts, now)).toBe('unknown_key');
  });

  it('is invalid if any part of it was changed', () => {
    const parts = partsOf(linkOf('k'));
    const check = (over: object, when = now) => checkRecordingLink(['k'], callId, { ...parts, ...over }, when);
    const later = { expires: String(Number(parts.expires) + 1) };
    expect(checkRecordingLink(['k'], 'call_other', parts, now)).toBe('invalid');
    for (const over of [later, { expires: ` ${parts.expires}` }, { signature: undefined }])
      expect(check(over)).toBe('invalid');
    expect(check(later, at(2 * DAYS_30))).toBe('invalid');
    expect(check({ key: undefined })).toBe('unknown_key');
    expect(checkRecordingLink(['k'], callId, {}, now)).toBe('unknown_key');
    forAll([fc.string(), fc.string()], (signature, expires) => {
      expect(checkRecordingLink(['k'], callId, { ...parts, signature, expires }, now)).not.toBe('valid');
    });
  });

  it.each(['', 'A', 'A'.repeat(43), 'A'.repeat(9_999)])(
    'is compared in constant time with a signature: %#',
    async (signature) => {
      const parts = { ...partsOf(linkOf('k')), signature };
      const compared = await comparedInConstantTime(() => checkRecordingLink(['k'], callId, parts, now));
      expect(compared).toEqual([[32, 32]]);
    },
  );

  it('is valid only with the key that signed it', () => {
    forAll([fc.string({ minLength: 1 }), fc.string({ minLength: 1 })], (key, other) => {
      fc.pre(key !== other);
      expect(linkOf(key)).not.toBe(linkOf(other));
      expect(checkRecordingLink([other], callId, partsOf(linkOf(key)), now)).not.toBe('valid');
    });
  });
});
