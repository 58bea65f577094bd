import { createHash } from 'node:crypto';
import type { InputSpec } from '../inputs/gate-config.ts';
import { ownValue } from '../model/own-value.ts';
import { type FeedFiles, feedFileKey } from './feed-files.ts';
import type { FeedSpec } from './plan.ts';

/** The work a case declares, whatever the model is made of. */
export interface DeclaredWork {
  readonly batch: number;
  readonly feeds: readonly FeedSpec[];
  readonly pool: number | null;
  readonly fetch: 'smallest' | 'all';
  readonly scenario: string;
}

/**
 * First 16 hex of SHA-256 over the declared work as canonical JSON. Only feeds of both arms count: an input that
 * exists on one side is part of the model's signature.
 */
export function workloadHash(work: DeclaredWork, files: FeedFiles = {}): string {
  const feeds = work.feeds
    .filter(({ arms }) => arms === 'both')
    .map(({ name, dtype, dims, source }) => ({ name, dtype, dims, source: declaredSource(source, files) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const { batch, pool, fetch, scenario } = work;
  return createHash('sha256').update(canonical({ batch, pool, fetch, scenario, feeds })).digest('hex').slice(0, 16);
}

/** A file counts by its content, not by where it lies. */
function declaredSource(source: InputSpec, files: FeedFiles): InputSpec | string {
  return source.file === undefined
    ? source
    : (ownValue(files, feedFileKey(source.file, source.key))?.sha256 ?? source.file);
}

/** JSON with sorted keys; undefined fields are left out. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
