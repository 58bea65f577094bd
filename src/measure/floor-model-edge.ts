import { join } from 'node:path';
import { type FixedTensor, identityModelFor } from '../model/identity.ts';
import type { ArmName, CaseSpec } from '../plan/plan.ts';
import type { OutputValues } from './output-difference.ts';
import { writeParts } from './staging-edge.ts';

/** Writes the model that does no work for one arm's inputs and fetched outputs of a case, and returns its path. */
export function writeFloorModel(
  directory: string,
  arm: ArmName,
  spec: CaseSpec,
  fetched: readonly OutputValues[],
): string {
  const file = join(directory, 'floor', `${arm}-b${spec.batch}.onnx`);
  const inputs = spec.feeds.filter(({ arms }) => arms === 'both' || arms === arm);
  writeParts(file, [identityModelFor(inputs, fetched.map(fixed))]);
  return file;
}

/** Writes the smallest model there is: what its process holds is not the arm's. */
export function writeEmptyModel(directory: string): string {
  const file = join(directory, 'floor', 'empty.onnx');
  const scalar: FixedTensor = { name: 'x', dtype: 'float32', dims: [1] };
  writeParts(file, [identityModelFor([scalar], [{ ...scalar, name: 'y' }])]);
  return file;
}

function fixed({ name, dtype, dims }: OutputValues): FixedTensor {
  return { name, dtype, dims };
}
