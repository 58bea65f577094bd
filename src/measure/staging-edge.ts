import { closeSync, fsyncSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ArmName, ArmSpec } from '../plan/plan.ts';
import { type ArmFiles, foldersOf } from './staging.ts';

/** The same for both arms, whatever they were called; unlikely to be the name of an external file. */
const MODEL_NAME = 'staged-by-model-gate.onnx';
/** One write size for every file of both arms: how a file was written shows in its page cache for good. */
const WRITE_BYTES = 4 * 2 ** 20;

/**
 * Writes the arms' files back to back into sibling folders below `directory`, replacing what was there, and returns
 * each arm's model file. Byte-identical files written in two ways differ by 1 to 2 %, so all are written alike.
 */
export function stageArms(
  directory: string,
  arms: Readonly<Partial<Record<ArmName, ArmSpec>>>,
  epoch: number,
): Readonly<Partial<Record<ArmName, ArmFiles>>> {
  const folders = foldersOf(epoch);
  for (const { folder } of folders) rmSync(join(directory, folder), { recursive: true, force: true });
  const staged: Partial<Record<ArmName, ArmFiles>> = {};
  for (const { arm, folder } of folders) {
    const spec = arms[arm];
    if (spec) staged[arm] = { modelFile: stageArm(spec, join(directory, folder)) };
  }
  return staged;
}

function stageArm(spec: ArmSpec, folder: string): string {
  const modelFile = join(folder, MODEL_NAME);
  writeAlike(spec.modelFile, modelFile);
  for (const location of spec.externalFiles)
    writeAlike(join(dirname(spec.modelFile), location), join(folder, location));
  return modelFile;
}

/** Writes the parts to one file, one after the other. */
export function writeParts(target: string, parts: Iterable<Uint8Array>): void {
  mkdirSync(dirname(target), { recursive: true });
  const to = openSync(target, 'w');
  try {
    for (const part of parts) writeAll(to, part);
    fsyncSync(to);
  } finally {
    closeSync(to);
  }
}

function writeAlike(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  const buffer = Buffer.allocUnsafe(WRITE_BYTES);
  const from = openSync(source, 'r');
  const to = openSync(target, 'w');
  try {
    for (let filled = fill(from, buffer); filled > 0; filled = fill(from, buffer))
      writeAll(to, buffer.subarray(0, filled));
    fsyncSync(to);
  } finally {
    closeSync(from);
    closeSync(to);
  }
}

/** Reads until the buffer is full or the file ends, so that every write but the last has the same size. */
function fill(file: number, buffer: Buffer): number {
  let filled = 0;
  for (;;) {
    const read = readSync(file, buffer, filled, buffer.length - filled, null);
    filled += read;
    if (read === 0 || filled === buffer.length) return filled;
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(file, bytes, written);
}
