import { describe, expect, it } from '@jest/globals';
import { effectOfFact, environmentClass } from '../../src/baseline/environment-class.ts';
import { readEnvironmentFacts } from '../../src/measure/environment-facts-edge.ts';

describe('facts of this machine', () => {
  const facts = readEnvironmentFacts({ PATH: '/bin', OMP_NUM_THREADS: '4', GITHUB_TOKEN: 'ghs_secret' });

  it('hold what makes numbers incomparable', () => {
    expect(facts['cpu.model']).toEqual(expect.stringMatching(/\S/));
    expect(facts['cpu.granted']).toBeGreaterThanOrEqual(1);
    expect(environmentClass(facts, 'cpu')).toMatch(/^[0-9a-f]{12}$/);
  });

  it('hold settings that change speed, and no other variable', () => {
    expect(facts['env.OMP_NUM_THREADS']).toBe('4');
    expect(effectOfFact('env.OMP_NUM_THREADS')).toBe('warns');
    expect(JSON.stringify(facts)).not.toContain('secret');
  });

  it('are the same a moment later, but for the load', () => {
    const { 'cpu.loadAverage': _, ...steady } = facts;
    const { 'cpu.loadAverage': __, ...again } = readEnvironmentFacts({ OMP_NUM_THREADS: '4' });
    expect(again).toEqual(steady);
  });

  it('name the container', () => {
    expect(readEnvironmentFacts({ KUBERNETES_SERVICE_HOST: '10.0.0.1' })['os.container']).toBe('kubernetes');
  });
});
