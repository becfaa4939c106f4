import './no-canvas.ts';
// The half of pdf.js that parses. Loaded here, it runs in this thread; otherwise pdf.js looks for it in a file of its own.
import 'pdfjs-dist/legacy/build/pdf.worker.mjs';
import { PasswordException, PDFParse, VerbosityLevel } from 'pdf-parse';
import { MOST_TEXT_CHARACTERS } from '../domain/organizations/knowledge-file.ts';
import { Unreadable } from './extraction.ts';

const MOST_PAGES = 200;
const PAGES_AT_ONCE = 10;

/**
 * The text of a PDF: of its first 200 pages, and no more pages than it takes.
 * @throws Unreadable for a password, and what pdf.js throws of a broken file.
 */
export async function readPdf(bytes: Uint8Array): Promise<string> {
  const pdf = new PDFParse({
    data: bytes,
    // Fonts may carry programs: they are never compiled (CVE-2024-4367).
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    verbosity: VerbosityLevel.ERRORS,
  });
  let text = '';
  try {
    for (let page = 1, total = 1; page <= Math.min(total, MOST_PAGES); page += PAGES_AT_ONCE) {
      const partial = Array.from({ length: PAGES_AT_ONCE }, (_, index) => page + index);
      const read = await pdf.getText({ partial, pageJoiner: '' });
      text += read.text;
      if (text.length >= MOST_TEXT_CHARACTERS) break;
      total = read.total;
    }
  } catch (error) {
    if (error instanceof PasswordException) throw new Unreadable('is protected by a password');
    throw error;
  }
  return text.slice(0, MOST_TEXT_CHARACTERS);
}
