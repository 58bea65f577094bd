import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

/** HTML of a Markdown text as GitHub's grammar reads it, raw HTML passed through. */
export function renderGfm(markdown: string): string {
  return micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });
}

/** Names of all elements in an HTML text, once each, sorted. */
export function elementsIn(html: string): readonly string[] {
  return [
    ...new Set([...html.matchAll(/<\/?([a-z][a-z0-9]*)/gi)].map((match) => (match[1] ?? '').toLowerCase())),
  ].sort();
}

/** Text of an HTML text: no tags, entities read. */
export function textIn(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&');
}
