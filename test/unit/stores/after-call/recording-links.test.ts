import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import FakeTimers from '@sinonjs/fake-timers';
import { recordingLinks } from '../../../../shared/stores/after-call/recording-links.ts';

const Bucket = 'calling-files-1234';
const Key = "org_1/call_1/it's (1) ü.wav";
const client = (over: object) =>
  new S3Client({
    region: 'ap-south-1',
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    // A browser neither sends nor checks checksums of S3.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...over,
  });
const linkOfTheSdk = (s3: S3Client, over: object = {}) =>
  getSignedUrl(s3, new GetObjectCommand({ Bucket, Key, ...over }), { expiresIn: 300 });

describe('the link to a recording', () => {
  // The links contain the second of their signature.
  let clock: FakeTimers.Clock;
  beforeAll(() => {
    clock = FakeTimers.install({ now: new Date('2026-03-02T06:00:00Z'), toFake: ['Date'] });
  });
  afterAll(() => clock.uninstall());

  it.each(['us-east-1', 'ap-south-1', 'cn-north-1', 'us-gov-west-1', 'eusc-de-east-1'])(
    "is the link of the SDK's S3 client in %s",
    async (region) => {
      const s3 = client({ region });
      expect(await recordingLinks(s3.config, Bucket)(Key)).toBe(await linkOfTheSdk(s3));
    },
  );

  it("is signed with the role's session token", async () => {
    const s3 = client({ credentials: { accessKeyId: 'key', secretAccessKey: 'secret', sessionToken: 'to/ken=' } });
    expect(await recordingLinks(s3.config, Bucket)(Key)).toBe(await linkOfTheSdk(s3));
  });

  it('names the file of a download', async () => {
    const s3 = client({});
    const ResponseContentDisposition = 'attachment; filename="call_1.wav"';
    expect(await recordingLinks(s3.config, Bucket)(Key, 'call_1.wav')).toBe(
      await linkOfTheSdk(s3, { ResponseContentDisposition }),
    );
  });

  it('leads to the address of a local cloud', async () => {
    const s3 = client({ endpoint: 'http://127.0.0.1:5000' });
    expect(await recordingLinks(s3.config, Bucket, 'http://127.0.0.1:5000')(Key)).toBe(await linkOfTheSdk(s3));
  });
});
