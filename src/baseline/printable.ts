/** Foreign text in one line of printable ASCII, at most `longest` characters. */
export function printable(text: string, longest = 80): string {
  const line = text.replace(/[^\x20-\x7e]+/g, '?');
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
