// Cuts the endpoints the gate uses out of GitHub's OpenAPI description, without prose and examples.
// The package is 385 MB, so install it outside the repository:
//   npm i --prefix /tmp/openapi --ignore-scripts @octokit/openapi@23.0.2
//   node scripts/extract-openapi.mjs /tmp/openapi/node_modules/@octokit/openapi
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TARGET = '__tests__/fixtures/openapi/github.json';

// Endpoint → which part of its success response is kept: "response" checks what the fake server answers.
const ENDPOINTS = {
  'GET /repos/{owner}/{repo}': 'request',
  'GET /repos/{owner}/{repo}/compare/{basehead}': 'request',
  'GET /repos/{owner}/{repo}/pulls': 'request',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}': 'request',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/files': 'response',
  'GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls': 'request',
  'GET /repos/{owner}/{repo}/commits/{ref}/status': 'request',
  'GET /repos/{owner}/{repo}/commits/{ref}/statuses': 'response',
  'POST /repos/{owner}/{repo}/statuses/{sha}': 'response',
  'POST /repos/{owner}/{repo}/check-runs': 'request',
  'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}': 'request',
  'GET /repos/{owner}/{repo}/issues/{issue_number}/comments': 'response',
  'POST /repos/{owner}/{repo}/issues/{issue_number}/comments': 'response',
  'GET /repos/{owner}/{repo}/issues/comments/{comment_id}': 'response',
  'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}': 'response',
  'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}': 'request',
  'GET /repos/{owner}/{repo}/actions/runs/{run_id}': 'request',
  'GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts': 'response',
  'GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}': 'request',
};
const PROSE = new Set(['description', 'summary', 'example', 'examples', 'externalDocs', 'title', 'deprecated']);

const folder = process.argv[2];
if (!folder) {
  console.error('usage: node scripts/extract-openapi.mjs FOLDER_OF_@octokit/openapi');
  process.exit(3);
}
const description = JSON.parse(readFileSync(join(folder, 'generated/api.github.com.json'), 'utf8'));
const source = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const components = {};
const paths = {};

for (const [endpoint, part] of Object.entries(ENDPOINTS)) {
  const [method, path] = endpoint.split(' ');
  const operation = description.paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`${endpoint} is not in GitHub's description`);
  const kept = { parameters: (operation.parameters ?? []).map((entry) => resolve(entry)) };
  const body = operation.requestBody?.content['application/json']?.schema;
  if (body) kept.requestBody = { required: operation.requestBody.required ?? false, schema: body };
  if (part === 'response') {
    const [status, response] = Object.entries(operation.responses).find(([code]) => code.startsWith('2'));
    kept.response = { status: Number(status), schema: resolve(response).content['application/json'].schema };
  }
  paths[path] ??= {};
  paths[path][method.toLowerCase()] = withoutProse(kept);
}
collectComponents(paths);

writeFileSync(
  TARGET,
  `${JSON.stringify({ source: `${source.name} ${source.version}`, license: source.license, paths, components })}\n`,
);
console.log(`${TARGET}: ${Object.keys(ENDPOINTS).length} endpoints, ${Object.keys(components).length} schemas`);

function resolve(node) {
  if (!node.$ref) return node;
  return node.$ref
    .split('/')
    .slice(1)
    .reduce((parent, key) => parent[key], description);
}

/** A copy without text for people; inside `properties` every key is a name and stays. */
function withoutProse(node, isNames = false) {
  if (Array.isArray(node)) return node.map((entry) => withoutProse(entry));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => isNames || !(PROSE.has(key) || key.startsWith('x-')))
      .map(([key, value]) => [key, withoutProse(value, key === 'properties' && !isNames)]),
  );
}

function collectComponents(node) {
  if (Array.isArray(node)) return node.forEach(collectComponents);
  if (typeof node !== 'object' || node === null) return;
  const name = typeof node.$ref === 'string' ? node.$ref.replace('#/components/schemas/', '') : null;
  if (name && !components[name]) {
    components[name] = withoutProse(description.components.schemas[name]);
    collectComponents(components[name]);
  }
  Object.values(node).forEach(collectComponents);
}
