const TAIL_LINES = 20;
const LINE_LENGTH = 400;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are what is removed here.
const TERMINAL_SEQUENCES = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b./g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed here.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Bytes of a worker's output that are kept; the rest is forgotten. */
export const TAIL_BYTES = 64 * 1024;

/** Last lines of what a worker printed, without control characters; undefined where it printed nothing. */
export function tailOf(output: string): string | undefined {
  const lines = output
    .replace(TERMINAL_SEQUENCES, '')
    .replaceAll('\t', ' ')
    .split(/\r\n|\r|\n/)
    .map((line) => line.replace(CONTROL, '').trimEnd())
    .filter((line) => line !== '');
  const tail = lines.slice(-TAIL_LINES).map((line) => line.slice(0, LINE_LENGTH));
  return tail.length === 0 ? undefined : tail.join('\n');
}

/** The engine's text as one line of bounded length. */
export function oneLine(text: string): string {
  return (tailOf(text) ?? '').replaceAll('\n', ' ').slice(0, LINE_LENGTH);
}
