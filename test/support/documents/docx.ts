import { crc32, deflateRawSync } from 'node:zlib';

const CONTENT_TYPES =
  '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>';
const RELATIONSHIPS =
  '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>';
const NAMESPACES =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';

export const paragraph = (text: string): string =>
  `<w:p w:rsidR="00A77B3E"><w:pPr><w:spacing w:after="0"/></w:pPr><w:r><w:rPr><w:sz w:val="24"/></w:rPr><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;

export const wordXml = (body: string, declaration = ''): string =>
  `<?xml version="1.0" encoding="UTF-8"?>${declaration}<w:document ${NAMESPACES}><w:body>${body}</w:body></w:document>`;

/** @param more parts that add to, or replace, those of every .docx. */
export const docx = (body: string, more: Record<string, string | Uint8Array> = {}): Buffer =>
  archive({ 'word/document.xml': wordXml(body), ...more });

export function archive(parts: Record<string, string | Uint8Array>): Buffer {
  const all = { '[Content_Types].xml': CONTENT_TYPES, '_rels/.rels': RELATIONSHIPS, ...parts };
  return rawArchive(Object.entries(all).map(([name, data]) => ({ name, data })));
}

export type RawEntry = {
  name: string;
  data?: string | Uint8Array;
  /** The raw bytes in the archive; by default the deflated data. */
  packed?: Uint8Array;
  /** The entry's header fields; those not given are correct. */
  claims?: { size?: number; compressedSize?: number; flags?: number; method?: number };
};

/** Builds an archive byte by byte, so that its headers can be wrong. */
export function rawArchive(entries: readonly RawEntry[], { zip64 = false, count = entries.length } = {}): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, data = '', packed = deflateRawSync(data), claims = {} } of entries) {
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(zip64 ? 45 : 20, 0);
    fields.writeUInt16LE(claims.flags ?? 0, 2);
    fields.writeUInt16LE(claims.method ?? 8, 4);
    fields.writeUInt32LE(crc32(data), 10);
    fields.writeUInt32LE(claims.compressedSize ?? packed.length, 14);
    fields.writeUInt32LE(claims.size ?? Buffer.byteLength(data), 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, Buffer.from(name), packed]);
    const central = Buffer.alloc(16);
    central.writeUInt32LE(offset, 12);
    directory.push(
      Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, central.subarray(2), Buffer.from(name)]),
    );
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(zip64 ? 0xffff : count, 8);
  end.writeUInt16LE(zip64 ? 0xffff : count, 10);
  end.writeUInt32LE(zip64 ? 0xffffffff : central.length, 12);
  end.writeUInt32LE(zip64 ? 0xffffffff : offset, 16);
  return Buffer.concat([...locals, central, ...(zip64 ? zip64End(count, central.length, offset) : []), end]);
}

function zip64End(count: number, size: number, offset: number): Buffer[] {
  const record = Buffer.alloc(56);
  record.write('PK\x06\x06', 'latin1');
  record.writeBigUInt64LE(44n, 4);
  record.writeUInt16LE(45, 12);
  record.writeUInt16LE(45, 14);
  record.writeBigUInt64LE(BigInt(count), 24);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(size), 40);
  record.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.write('PK\x06\x07', 'latin1');
  locator.writeBigUInt64LE(BigInt(offset + size), 8);
  locator.writeUInt32LE(1, 16);
  return [record, locator];
}
