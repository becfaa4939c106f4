const POLYNOMIAL = 0xedb88320; // reversed, as in gzip (RFC 1952, section 8)
const BITS_OF_A_BYTE = 8;

/**
 * Computes the CRC-32 of a text in UTF-8, as `crc32` of `node:zlib` does, which takes milliseconds of a cold start to
 * load (docs/decisions/0039-a-cold-start-loads-only-its-code.md).
 * @returns 32 bits, unsigned
 */
export function crc32(text: string): number {
  let rest = ~0;
  for (const byte of new TextEncoder().encode(text)) {
    rest ^= byte;
    for (let bit = 0; bit < BITS_OF_A_BYTE; bit += 1) rest = (rest >>> 1) ^ (rest & 1 ? POLYNOMIAL : 0);
  }
  return ~rest >>> 0;
}
