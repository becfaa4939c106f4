/** Returns a mark that occurs in none of the texts, so that no text can end the data that the mark delimits. */
export function unusedMark(newMark: () => string, texts: readonly string[]): string {
  let mark = newMark();
  while (texts.some((text) => text.includes(mark))) mark = newMark();
  return mark;
}
