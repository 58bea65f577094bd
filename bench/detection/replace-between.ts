/** The text with what lies between the markers `<!-- name:begin -->` and `<!-- name:end -->` replaced. */
export function replaceBetween(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no place for ${name}: ${begin} … ${end}`);
  return `${text.slice(0, from)}${begin}\n${content}\n${text.slice(to)}`;
}
