/**
 * Stubs DOMMatrix, which pdf.js constructs at load time although only drawing uses it. Node.js lacks it, and the
 * package @napi-rs/canvas would add a native module. Import this file before pdf.js.
 */
class NoMatrix {}
Object.assign(globalThis, { DOMMatrix: NoMatrix, ImageData: NoMatrix, Path2D: NoMatrix });
