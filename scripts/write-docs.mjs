// Writes docs/configuration.md and docs/model-gate.schema.json from the config's zod schema.
import { writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const { outputFiles } = await build({
  entryPoints: ['src/inputs/config-docs.ts'],
  bundle: true,
  write: false,
  platform: 'node',
  format: 'esm',
});
const code = Buffer.from(outputFiles[0].contents).toString('base64');
const { renderConfigSchema, renderConfigurationDocs } = await import(`data:text/javascript;base64,${code}`);
writeFileSync('docs/configuration.md', renderConfigurationDocs());
writeFileSync('docs/model-gate.schema.json', renderConfigSchema());
