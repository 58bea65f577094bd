/**
 * `text` so that no line of it is a workflow command for the runner, whatever it holds.
 * The runner reads `::command::` at the start of a line and `##[command]` anywhere in it.
 */
export function safeLogText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '\u{fffd}')
    .replaceAll('##[', '## [')
    .split('\n')
    .map((line) => (line.trimStart().startsWith('::') ? `| ${line}` : line))
    .join('\n');
}

/** One line of at most `limit` characters without control characters, for titles and annotations. */
export function safeLine(text: string, limit: number): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}
