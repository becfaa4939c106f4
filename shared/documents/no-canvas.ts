/**
 * pdf.js makes a DOMMatrix when it is loaded, which Node.js lacks and @napi-rs/canvas would bring. Only drawing needs what it
 * does, and nothing is drawn here. Import this before pdf.js.
 */
class NoMatrix {}
Object.assign(globalThis, { DOMMatrix: NoMatrix, ImageData: NoMatrix, Path2D: NoMatrix });
