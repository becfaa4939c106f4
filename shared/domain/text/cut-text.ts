/** @returns the first `most` UTF-16 units of the text, one less if they would end within a character. */
export function cutText(text: string, most: number): string {
  const part = text.slice(0, most);
  return part.isWellFormed() ? part : part.slice(0, -1);
}
