import type { Dim, ModelFacts, TensorInfo } from './model-facts.ts';

/** One difference between the inputs or outputs of two models. */
export interface SignatureChange {
  readonly side: 'input' | 'output';
  readonly name: string;
  readonly kind: 'added' | 'removed' | 'dtype' | 'rank' | 'dims';
  /** As `float32[batch, 13]`; null where the tensor does not exist. */
  readonly base: string | null;
  readonly head: string | null;
}

type Signature = Pick<ModelFacts, 'inputs' | 'outputs'>;

/** Differences between the signatures of two models: inputs first, each in base's order, then what head adds. */
export function diffSignatures(base: Signature, head: Signature): SignatureChange[] {
  return [...diffSide('input', base.inputs, head.inputs), ...diffSide('output', base.outputs, head.outputs)];
}

/** All changes as plain text, for the report's first lines; '' without changes. Names are not escaped. */
export function describeSignatureChanges(changes: readonly SignatureChange[]): string {
  return changes.map(describeChange).join('; ');
}

/** A tensor's type as people write it: `float32[batch, 13]`, `int64[]` for a scalar, `float32` for an unknown rank. */
export function describeTensor({ dtype, dims }: Pick<TensorInfo, 'dtype' | 'dims'>): string {
  return dims ? `${dtype}[${dims.map((dim) => (dim === '' ? '?' : dim)).join(', ')}]` : dtype;
}

function diffSide(
  side: SignatureChange['side'],
  base: readonly TensorInfo[],
  head: readonly TensorInfo[],
): SignatureChange[] {
  const [before, after] = [base, head].map((infos) => new Map(infos.map((info) => [info.name, info])));
  const names = new Set([...base, ...head].map(({ name }) => name));
  return [...names].flatMap((name) => {
    const [old, now] = [before?.get(name), after?.get(name)];
    const kind = kindOfChange(old, now);
    return kind
      ? [{ side, name, kind, base: old ? describeTensor(old) : null, head: now ? describeTensor(now) : null }]
      : [];
  });
}

function kindOfChange(base: TensorInfo | undefined, head: TensorInfo | undefined): SignatureChange['kind'] | null {
  if (!base) return 'added';
  if (!head) return 'removed';
  if (base.dtype !== head.dtype) return 'dtype';
  if (base.dims?.length !== head.dims?.length) return 'rank';
  return base.dims?.every((dim, axis) => sameDim(dim, head.dims?.[axis])) === false ? 'dims' : null;
}

/** The names of symbolic dimensions are labels of the exporter: only a size, or becoming dynamic, is a change. */
function sameDim(base: Dim, head: Dim | undefined): boolean {
  return typeof base === 'number' || typeof head === 'number' ? base === head : true;
}

function describeChange({ side, name, kind, base, head }: SignatureChange): string {
  if (kind === 'added') return `${side} ${name} added (${head})`;
  if (kind === 'removed') return `${side} ${name} removed (was ${base})`;
  return `${side} ${name} changed from ${base} to ${head}`;
}
