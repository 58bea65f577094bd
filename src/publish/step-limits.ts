import type { Annotation } from './publisher.ts';

/** A larger summary file is not uploaded at all. */
export const SUMMARY_LIMIT_BYTES = 1024 * 1024;
/** Bytes a ready-made summary may use: the rest holds the notes on publishing. */
export const SUMMARY_BUDGET = SUMMARY_LIMIT_BYTES - 16 * 1024;

const ANNOTATIONS_PER_LEVEL = 10;
const NOTICE = '\n\n… shortened: GitHub shows 1 MiB at most, the whole report is in the verdict file.\n';

/** `markdown` cut at a line's end so that the step's summary file stays under 1 MiB, with `usedBytes` already in it. */
export function fitSummary(markdown: string, usedBytes: number): string {
  const room = SUMMARY_LIMIT_BYTES - usedBytes - 1;
  const bytes = new TextEncoder().encode(markdown);
  if (bytes.length <= room) return markdown;
  const kept = bytes.subarray(0, Math.max(0, room - NOTICE.length - 8));
  const lineEnd = kept.lastIndexOf(0x0a);
  if (lineEnd <= 0) return '';
  return `${new TextDecoder().decode(kept.subarray(0, lineEnd))}${NOTICE}`;
}

/** At most 10 annotations of each level, the number the runner keeps; the last one counts the rest. */
export function fitAnnotations(annotations: readonly Annotation[]): readonly Annotation[] {
  return (['error', 'warning', 'notice'] as const).flatMap((level) => {
    const all = annotations.filter((annotation) => annotation.level === level);
    if (all.length <= ANNOTATIONS_PER_LEVEL) return all;
    const rest = all.length - ANNOTATIONS_PER_LEVEL + 1;
    const more = { level, title: 'Model Gate', message: `and ${rest} more, see the job summary` };
    return [...all.slice(0, ANNOTATIONS_PER_LEVEL - 1), more];
  });
}
