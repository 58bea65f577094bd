import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  cleanText,
  codeBlock,
  codeSpan,
  escapeMarkdown,
  link,
  shellWord,
  terminalText,
} from '../../src/report/escape.ts';
import { elementsIn, renderGfm, textIn } from './gfm.ts';
import { HOSTILE_CASES, HOSTILE_TEXTS } from './hostile-texts.ts';

const hostile = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS.filter((text) => text.length < 1000)),
  fc.array(fc.constantFrom(...'\\`*_~[]|<>()#+-.!:@&$=/1a \nwGH'), { maxLength: 40 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 60 }),
);

const withoutBreaks = (text: string): string => text.replaceAll('\u200b', '');

describe('escapeMarkdown', () => {
  it.each(HOSTILE_CASES)('makes one paragraph of plain text of %s', (_, text) => {
    expect(withoutBreaks(textIn(renderGfm(escapeMarkdown(text))))).toBe(withoutBreaks(cleanText(text)));
  });

  it('yields nothing but the text in a paragraph, a list item, a quotation and a table cell', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const escaped = escapeMarkdown(text);
        const shown = cleanText(text);
        const read = (markdown: string): string => withoutBreaks(textIn(renderGfm(markdown))).trim();
        expect(elementsIn(renderGfm(`x ${escaped}`))).toEqual(['p']);
        expect(read(`x ${escaped}`)).toBe(`x ${shown}`.trim());
        expect(elementsIn(renderGfm(escaped)).filter((name) => name !== 'p')).toEqual([]);
        expect(read(escaped)).toBe(shown);
        expect(elementsIn(renderGfm(`- ${escaped || 'x'}`))).toEqual(['li', 'ul']);
        expect(elementsIn(renderGfm(`> ${escaped || 'x'}`))).toEqual(['blockquote', 'p']);
        const table = renderGfm(`| a | b |\n|---|---|\n| ${escaped} | end |`);
        expect(elementsIn(table)).toEqual(['table', 'tbody', 'td', 'th', 'thead', 'tr']);
        expect(table.match(/<td/g)).toHaveLength(2);
        expect(table).toContain('<td>end</td>');
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['@team', /@[\w-]/],
    ['see #12 or GH-7', /#\d|GH-\d/i],
    ['https://evil.example', /:\/\//],
    ['www.evil.example', /www\./],
    [':tada:', /:tada:/],
  ])('breaks %s, which GitHub looks for after rendering', (text, pattern) => {
    expect(text).toMatch(pattern);
    expect(textIn(renderGfm(escapeMarkdown(text)))).not.toMatch(pattern);
  });

  it.each(['::error::x', '##[error]x', '$x$'])(
    'writes %s so that neither a runner nor a formula reader sees it',
    (text) => {
      expect(escapeMarkdown(text)).not.toMatch(/::|##\[|\$/);
    },
  );

  it('leaves names and figures as they are', () => {
    const text = 'ranker-v1.2 cuda b32 · latency p50 +8.1 % (4.02 → 4.35 ms; at least +6.9 %, allowed 3 %)';
    expect(escapeMarkdown(text)).toBe(text);
  });
});

describe('cleanText', () => {
  it('is one line without controls, cut to the length asked for', () => {
    fc.assert(
      fc.property(
        fc.oneof(hostile, fc.constantFrom(...HOSTILE_TEXTS)),
        fc.integer({ min: 1, max: 80 }),
        (text, length) => {
          const clean = cleanText(text, length);
          expect(clean.length).toBeLessThanOrEqual(length);
          expect(clean).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
        },
      ),
    );
  });

  it('shows that something was cut', () => {
    expect(cleanText('x'.repeat(50), 10)).toBe(`${'x'.repeat(9)}…`);
  });
});

describe('terminalText', () => {
  it.each(HOSTILE_CASES)('holds no control sequence and no command in %s', (_, text) => {
    const shown = terminalText(text);
    expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(shown).not.toContain('::');
    expect(shown).not.toContain('##[');
  });
});

describe('codeSpan and codeBlock', () => {
  it('hold the text literally whatever backticks it has', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const html = renderGfm(`x ${codeSpan(text)} y`);
        expect(elementsIn(html)).toEqual(['code', 'p']);
        const block = renderGfm(codeBlock('yaml', cleanText(text)));
        expect(elementsIn(block)).toEqual(['code', 'pre']);
      }),
    );
  });
});

describe('link', () => {
  it.each(['javascript:alert(1)', 'data:text/html,x', 'not an address', ''])('leads nowhere for %j', (url) => {
    expect(link('run', url)).toBe('run');
  });

  it('can not be left through its address', () => {
    expect(renderGfm(link('run', 'https://x.example/a) [b](https://evil.example/<c>|'))).toBe(
      '<p><a href="https://x.example/a%29%20%5bb%5d%28https://evil.example/%3Cc%3E%7c">run</a></p>',
    );
  });
});

describe('shellWord', () => {
  it.each([
    ['models/ranker.onnx', 'models/ranker.onnx'],
    ['my model.onnx', "'my model.onnx'"],
    ["it's$(rm -rf ~)`x`.onnx", "'it'\\''s$(rm -rf ~)`x`.onnx'"],
    ['-rf', './-rf'],
    ['new\nline', null],
    ['', null],
  ])('writes %j as %j', (text, word) => {
    expect(shellWord(text)).toBe(word);
  });
});
