import stripAnsi from 'strip-ansi';

/** Longest name and longest sentence of foreign origin that a report carries. */
export const NAME_LENGTH = 160;
export const SENTENCE_LENGTH = 600;

const LINE_BREAKS = /[\t-\r\u0085\u2028\u2029]+/g;
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;
const STACKED_MARKS = /(\p{M}{3})\p{M}+/gu;
/** Invisible, and enough to keep GitHub from reading a mention, a reference, a link or an emoji code. */
const BREAK = '\u200b';

/** One line of visible text: no terminal sequence, control, bidi or invisible character; cut to `length` characters. */
export function cleanText(text: string, length = SENTENCE_LENGTH): string {
  const isLong = text.length > length * 4;
  const clean = stripAnsi(text.slice(0, length * 4))
    .replace(LINE_BREAKS, ' ')
    .replace(UNPRINTABLE, '\ufffd')
    .replace(STACKED_MARKS, '$1')
    .trim();
  if (clean.length <= length && !isLong) return clean;
  return `${clean.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Text that GitHub renders as nothing but text, in a paragraph, a list item or a table cell. */
export function escapeMarkdown(text: string, length = SENTENCE_LENGTH): string {
  return cleanText(text, length)
    .replace(/@(?=\S)|#(?=\d)|(?<![a-z\d])GH-(?=\d)|(?<![a-z\d])www(?=\.)|:(?=\/\/|[\w+-]+:)/gi, `$&${BREAK}`)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/\$/g, () => '&#36;')
    .replace(/[\\`*_~[\]|]|(?<=:):/g, '\\$&')
    .replace(/^#|^[-+](?=\s|$)|^[-=]+(?=\s*$)/, '\\$&')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2');
}

/** Text for a log or terminal: a runner reads no command in it, a terminal no control sequence. */
export function terminalText(text: string, length = SENTENCE_LENGTH): string {
  return cleanText(text, length)
    .replace(/:(?=:)/g, ': ')
    .replace(/##(?=\[)/g, '## ');
}

/** Inline code holding `text` literally, whatever backticks it has. */
export function codeSpan(text: string, length = SENTENCE_LENGTH): string {
  const clean = cleanText(text, length);
  const fence = '`'.repeat(longestRun(clean, '`') + 1);
  const pad = /^`|`$/.test(clean) || clean === '' ? ' ' : '';
  return `${fence}${pad}${clean}${pad}${fence}`;
}

/** Fenced block holding `lines` literally. */
export function codeBlock(language: string, lines: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(lines, '`') + 1));
  return `${fence}${language}\n${lines.replace(/\n+$/, '')}\n${fence}`;
}

/** A Markdown link, or its text alone where the address is none a report may lead to. */
export function link(text: string, url: string | undefined): string {
  if (url === undefined || !URL.canParse(url)) return text;
  const { protocol, href } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return text;
  return `[${text}](${href.replace(/[()<>[\]\\|`]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)})`;
}

/** One word of a POSIX shell command line that people paste; null where the text can't be shown faithfully. */
export function shellWord(text: string): string | null {
  if (text === '' || cleanText(text) !== text) return null;
  const path = text.startsWith('-') ? `./${text}` : text;
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

function longestRun(text: string, character: string): number {
  let longest = 0;
  for (const run of text.matchAll(new RegExp(`${character}+`, 'g'))) longest = Math.max(longest, run[0].length);
  return longest;
}
