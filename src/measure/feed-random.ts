import { createHash } from 'node:crypto';

/** Draws 32 random bits as an unsigned integer. */
export type RandomBits = () => number;

/** A stream of its own for each text: sfc32 (C. Doty-Humphrey, PractRand), seeded with the text's SHA-256. */
export function seedRandom(text: string): RandomBits {
  const digest = createHash('sha256').update(text).digest();
  let a = digest.readInt32LE(0);
  let b = digest.readInt32LE(4);
  let c = digest.readInt32LE(8);
  let counter = digest.readInt32LE(12);
  return () => {
    const result = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + result) | 0;
    return result >>> 0;
  };
}

/** Draws from [0, 1) in steps of 2^-53. */
export function drawUnit(bits: RandomBits): number {
  return ((bits() >>> 5) * 0x4000000 + (bits() >>> 6)) / 0x20000000000000;
}

/** Draws whole numbers from an inclusive range, each alike. */
export function drawWhole(bits: RandomBits, low: number, high: number): number {
  return low + Math.floor(drawUnit(bits) * (high - low + 1));
}

/**
 * Draws from the standard normal distribution: Marsaglia's polar method, which needs log and sqrt only (sin and cos
 * differ between processors).
 */
export function normalDraws(bits: RandomBits): () => number {
  let spare: number | null = null;
  return () => {
    if (spare !== null) {
      const kept = spare;
      spare = null;
      return kept;
    }
    for (;;) {
      const u = 2 * drawUnit(bits) - 1;
      const v = 2 * drawUnit(bits) - 1;
      const square = u * u + v * v;
      if (square > 0 && square < 1) {
        const scale = Math.sqrt((-2 * Math.log(square)) / square);
        spare = v * scale;
        return u * scale;
      }
    }
  };
}
