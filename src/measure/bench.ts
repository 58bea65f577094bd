import type { ModelConfig } from '../inputs/gate-config.ts';
import type { Environment, Note } from './measurement.ts';
import type { Measurer } from './measurer.ts';
import type { ProviderChoice } from './provider-check.ts';

/** What a model asks to run on. */
export type AskedDevice = Pick<ModelConfig, 'providers' | 'session'>;

/** The machine as the models of one job may use it. */
export interface Machine {
  /** Facts and class for cases that run on `providers`. */
  readonly environment: (providers: readonly string[]) => Environment;
  /** The provider for a model that asks for this one, null for none; or why it may not be measured. */
  readonly chooseProvider: (asked: string | null) => ProviderChoice;
}

/** A measurer with its device held. */
export interface Bench {
  readonly measurer: Measurer;
  /** What a reader must know of device, lock and clocks; complete when measuring has ended. */
  readonly machineNotes: () => readonly Note[];
  /** Graphics clock at the end of each restart so far; empty where no card is watched. */
  readonly seenClocksMHz: () => readonly number[];
  /** Frees the device and removes staged files. */
  readonly release: () => Promise<void>;
}
