import manifest from '../package.json' with { type: 'json' };

/** Version of this package, stored in every file it writes. */
export const VERSION: string = manifest.version;
