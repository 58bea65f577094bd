import { describeClocks } from './gpu-clocks.ts';
import type { GpuHealth } from './gpu-health.ts';
import type { Note } from './measurement.ts';
import { mayRunOnNvidia, providerNotes } from './provider-check.ts';

/** What is known of the device behind a measurement. */
export interface BenchFacts {
  readonly providers: readonly string[];
  /** The watched card; null where none is. */
  readonly gpu: GpuHealth | null;
  /** Why the watch or the lock is not whole, each in a sentence. */
  readonly caveats: readonly string[];
  readonly clocks: ClocksAsked | null;
}

/** A request to hold the graphics clock, and what became of it. */
export interface ClocksAsked {
  readonly mhz: number;
  readonly refused: string | null;
  /** Clocks under load, one a restart. */
  readonly seenMHz: readonly number[];
}

/** What a reader must know of the device: card, lock, clocks and providers, in that order. */
export function benchNotes({ providers, gpu, caveats, clocks }: BenchFacts): Note[] {
  const cards = Number(gpu?.facts['gpu.visible'] ?? 1);
  const perProvider = [...new Set(providers)].flatMap((provider) =>
    providerNotes(provider, gpu && mayRunOnNvidia(provider) ? 'watched' : 'blind', cards),
  );
  return [
    ...noted('gpu', gpu?.notes ?? []),
    ...noted('gpu-lock', caveats),
    ...noted('gpu-clocks', clocks ? [clocksText(clocks)] : []),
    ...noted('provider', [...new Set(perProvider)]),
  ];
}

/** A lock is a request: that the clocks held is known only from what was seen under load. */
function clocksText({ mhz, refused, seenMHz }: ClocksAsked): string {
  if (refused !== null) return refused;
  if (seenMHz.length === 0) return `clocks were asked to hold ${mhz} MHz; whether they did was not seen under load`;
  return describeClocks(mhz, seenMHz) ?? `clocks were locked at ${mhz} MHz and held it under load`;
}

function noted(code: string, texts: readonly string[]): Note[] {
  return texts.map((text) => ({ code, text }));
}
