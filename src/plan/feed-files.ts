/** What a `.npy` array says of itself, read before planning. */
export interface FeedFileFacts {
  readonly dtype: string;
  readonly dims: readonly number[];
  /** Digest of the file as it lies on disk. */
  readonly sha256: string;
}

/** Facts by `feedFileKey`. */
export type FeedFiles = Readonly<Record<string, FeedFileFacts>>;

/** How a file, or one array of an `.npz`, is looked up in `FeedFiles`. */
export function feedFileKey(file: string, key?: string): string {
  return key === undefined ? file : `${file}#${key}`;
}
