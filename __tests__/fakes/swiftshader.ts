import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

/**
 * Unpacks SwiftShader's Vulkan driver and the Vulkan loader from @sparticuz/chromium into `folder`, and returns the
 * variables under which the webgpu provider finds them. They need glibc and libgcc only, which Node needs too, so a
 * bare Linux machine runs them; x64 alone.
 */
export function softwareVulkan(folder: string): Record<string, string> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const archive = join(dirname(entry), '..', '..', 'bin', 'swiftshader.tar.br');
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xf', '-', '-C', folder], { input: brotliDecompressSync(readFileSync(archive)) });
  return { LD_LIBRARY_PATH: folder, VK_ICD_FILENAMES: join(folder, 'vk_swiftshader_icd.json') };
}
