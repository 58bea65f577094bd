import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { chainModel, type Plant } from '../../bench/gpu/models.ts';

const DIMS = { gpu: { width: 2048, tableSide: 4096 }, small: { width: 192, tableSide: 1536 } } as const;
const PLANTS: readonly Plant[] = ['nothing', 'slower', 'bigger', 'fallback'];

describe('committed models of the GPU check', () => {
  it.each(PLANTS.flatMap((plant) => (['gpu', 'small'] as const).map((size) => [size, plant] as const)))(
    '%s-%s.onnx is what its writer writes',
    (size, plant) => {
      const committed = readFileSync(new URL(`../../bench/gpu/models/${size}-${plant}.onnx`, import.meta.url));
      expect(committed.equals(chainModel({ ...DIMS[size], plant }))).toBe(true);
    },
  );
});
