import './no-canvas.ts';
// Imported here, pdf.js's worker runs in this thread; otherwise pdf.js would load it from a separate file.
import 'pdfjs-dist/legacy/build/pdf.worker.mjs';
import { PasswordException, PDFParse, VerbosityLevel } from 'pdf-parse';
import { MAX_TEXT_CHARACTERS } from '../domain/organizations/assistants/knowledge-file.ts';
import { Unreadable } from './extraction.ts';

const MAX_PAGES = 200;
const PAGES_AT_ONCE = 10;

/**
 * Reads the text of a PDF, up to 200 pages, and stops once the limit of text is reached.
 * @throws Unreadable for a password, and pdf.js's errors for a corrupt file.
 */
export async function readPdf(bytes: Uint8Array): Promise<string> {
  const pdf = new PDFParse({
    data: bytes,
    // Never compile font programs (CVE-2024-4367).
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    verbosity: VerbosityLevel.ERRORS,
  });
  let text = '';
  try {
    for (let page = 1, total = 1; page <= Math.min(total, MAX_PAGES); page += PAGES_AT_ONCE) {
      const partial = Array.from({ length: PAGES_AT_ONCE }, (_, index) => page + index);
      const read = await pdf.getText({ partial, pageJoiner: '' });
      text += read.text;
      if (text.length >= MAX_TEXT_CHARACTERS) break;
      total = read.total;
    }
  } catch (error) {
    if (error instanceof PasswordException) throw new Unreadable('is protected by a password');
    throw error;
  }
  return text.slice(0, MAX_TEXT_CHARACTERS);
}
