import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import {
  CALL_SIGNATURE_HEADER,
  isCallSignature,
  signCall,
} from '../../../../../shared/domain/calls/platform/call-signature.ts';
import { forAll } from '../../../../support/values/for-all.ts';

const text = fc.string({ minLength: 1, maxLength: 64 });

describe('the signature of a call', () => {
  it('is HMAC-SHA256 of the call id under the webhook key, in a header of lower-case letters', () => {
    expect(signCall('key', 'call_1')).toBe(createHmac('sha256', 'key').update('call_1').digest('base64url'));
    expect(CALL_SIGNATURE_HEADER).toMatch(/^x-[a-z-]+$/);
  });

  it('is accepted with the key that created it, current or former', () => {
    forAll([text, text, text], (current, former, callId) => {
      expect(isCallSignature([current], callId, signCall(current, callId))).toBe(true);
      expect(isCallSignature([current, former], callId, signCall(former, callId))).toBe(true);
    });
  });

  it('is refused with another key and for another call', () => {
    forAll([text, text, text, text], (key, other, callId, otherCall) => {
      fc.pre(key !== other && callId !== otherCall);
      expect(isCallSignature([key], callId, signCall(other, callId))).toBe(false);
      expect(isCallSignature([key], callId, signCall(key, otherCall))).toBe(false);
    });
  });

  it('is refused without an error if it is absent, empty, or of another length', () => {
    const genuine = signCall('key', 'call_1');
    const lengths = [genuine.slice(1), `${genuine}=`, `${genuine} `, 'é'.repeat(43), 'x'.repeat(9999)];
    for (const wrong of [undefined, '', ...lengths]) expect(isCallSignature(['key'], 'call_1', wrong)).toBe(false);
    expect(isCallSignature([], 'call_1', genuine)).toBe(false);
  });
});
