import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { openWorkbench, type Workbench, type WorkbenchOptions } from '../../src/measure/workbench-edge.ts';
import { type FakeSmi, fakeSmi, type Scenario } from './nvidia-smi-scenario.ts';
import { softwareVulkan } from './swiftshader.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** A built worker, a software Vulkan driver, and fake cards to open workbenches on; removed by `close`. */
export interface WorkbenchWorld {
  readonly root: string;
  /** What lies in the folder for temporary files of the job. */
  temporary(): string[];
  readonly lockDir: string;
  /** A workbench on a machine whose nvidia-smi answers so; null where it has none. */
  workbench(scenario: Scenario | null, more?: Partial<WorkbenchOptions>): Workbench & { readonly smi: FakeSmi };
  close(): void;
}

export async function openWorkbenchWorld(): Promise<WorkbenchWorld> {
  const root = mkdtempSync(join(tmpdir(), 'gate-workbench-'));
  const distFolder = join(root, 'dist');
  const runnerTemp = join(root, 'temporary');
  const lockDir = join(root, 'locks');
  mkdirSync(runnerTemp);
  cpSync(join(repository, 'runtime'), join(distFolder, 'runtime'), { recursive: true });
  await build({
    entryPoints: { 'measure-worker': join(repository, 'src/measure/worker-edge.ts') },
    outdir: distFolder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['onnxruntime-node'],
    banner: { js: "import { createRequire as c } from 'node:module';\nconst require = c(import.meta.url);" },
    logLevel: 'error',
  });
  writeFileSync(join(distFolder, 'package.json'), '{"type":"module"}');
  const vulkan = softwareVulkan(join(root, 'vulkan'));
  const fakes: FakeSmi[] = [];
  return {
    root,
    lockDir,
    temporary: () => readdirSync(runnerTemp),
    workbench: (scenario, more = {}) => {
      const smi = fakeSmi(scenario ?? {});
      fakes.push(smi);
      const path = scenario === null ? '/usr/bin:/bin' : `${smi.env['PATH']}:/usr/bin:/bin`;
      const workbench = openWorkbench({
        distFolder,
        env: { ...smi.env, ...vulkan, PATH: path, HOME: root, RUNNER_TEMP: runnerTemp },
        onnxruntimePath: join(repository, 'node_modules/onnxruntime-node'),
        installCuda: false,
        lockDir,
        lockLimitMs: 300,
        lockClocksMHz: null,
        feedRoot: root,
        session: 'session',
        signal: new AbortController().signal,
        tell: () => {},
        ...more,
      });
      return { ...workbench, smi };
    },
    close: () => {
      for (const fake of fakes) fake.remove();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
