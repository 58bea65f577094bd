/** One operator type as a profiled session ran it. */
export interface ProfiledKernel {
  readonly operator: string;
  readonly provider: string;
  readonly durationUs: number;
  /** Largest of the bytes read, written and stored by the kernel. */
  readonly largestBytes: number;
  /** Peak of the provider's allocator so far; null where the engine does not say. */
  readonly arenaPeakBytes: number | null;
}

/**
 * Reads one line of an ONNX Runtime profile (a JSON array with one event a line); null where it is no kernel run.
 * Node names are not escaped by the engine, so a name with a quote breaks the JSON: then fields are picked by pattern.
 */
export function readProfileLine(line: string): ProfiledKernel | null {
  if (!line.includes('_kernel_time')) return null;
  const fields = parseEvent(line) ?? pickFields(line);
  const operator = fields('op_name');
  const provider = fields('provider');
  if (!operator || !provider) return null;
  const bytes = ['activation_size', 'output_size', 'parameter_size'].map((name) => Number(fields(name) ?? 0));
  const arena = fields('mem_in_use_peak');
  return {
    operator,
    provider,
    durationUs: Number(fields('dur') ?? 0),
    largestBytes: Math.max(0, ...bytes.filter(Number.isFinite)),
    arenaPeakBytes: arena === undefined || !Number.isFinite(Number(arena)) ? null : Number(arena),
  };
}

type Fields = (name: string) => string | undefined;

function parseEvent(line: string): Fields | null {
  try {
    const event: { args?: Record<string, unknown> } & Record<string, unknown> = JSON.parse(line.replace(/,\s*$/, ''));
    return (name) => asText(event.args?.[name] ?? event[name]);
  } catch {
    return null;
  }
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** The arguments come last on the line, so their last match is not part of a name. */
function pickFields(line: string): Fields {
  return (name) => {
    const matches = [...line.matchAll(new RegExp(`"${name}"\\s*:\\s*"?([^",}]*)"?`, 'g'))];
    return matches.at(-1)?.[1]?.trim();
  };
}

/** Peak bytes of the provider's arena over a profiled pass; null where the engine did not say. */
export function arenaPeakBytes(kernels: readonly ProfiledKernel[]): number | null {
  const peaks = kernels.flatMap(({ arenaPeakBytes }) => (arenaPeakBytes === null ? [] : [arenaPeakBytes]));
  const peak = peaks.reduce((largest, value) => Math.max(largest, value), 0);
  return peak > 0 ? peak : null;
}
