/** Ways to set text apart; each ends what it begins. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

const plain = (text: string): string => text;
const sgr =
  (on: number, off: number) =>
  (text: string): string =>
    text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`;

const ANSI: Paint = { bold: sgr(1, 22), dim: sgr(2, 22), red: sgr(31, 39), green: sgr(32, 39), yellow: sgr(33, 39) };
const NONE: Paint = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain };

/** Paint for a terminal, or none at all for pipes and files. */
export function painter(colour: 'ansi' | 'none'): Paint {
  return colour === 'ansi' ? ANSI : NONE;
}
