import { describe, expect, it } from '@jest/globals';
import { doctorAdvice } from '../../src/report/doctor-advice.ts';
import {
  DOCTOR_SCHEMA,
  type DoctorGpu,
  type DoctorReport,
  type DoctorTrial,
  impossibility,
} from '../../src/report/doctor-report.ts';
import { doctorText } from '../../src/report/doctor-text.ts';

const AGREEMENT: NonNullable<DoctorTrial['agreement']> = {
  restarts: 8,
  base: 0.478,
  head: 0.479,
  difference: 0.001,
  isBiased: false,
  spread: 0.008,
  byOrder: { first: 0.001, second: -0.001 },
  modes: null,
  provable: [
    { restarts: 6, change: 0.047 },
    { restarts: 41, change: 0.034 },
  ],
};

const TRIAL: DoctorTrial = {
  model: 'ranker',
  case: 'ranker/cpu/b256/c1',
  provider: 'cpu',
  providerNote: null,
  seconds: 38,
  mode: 'duet',
  margin: 0.03,
  agreement: AGREEMENT,
  invalidRestarts: 0,
  invalidReasons: [],
  oneFeed: 0.478,
  floorShare: 0.02,
  notes: [],
};

const GPU: DoctorGpu = {
  name: 'NVIDIA L4',
  uuid: 'GPU-1',
  driver: '580.95.05',
  driverFault: null,
  temperatureC: 41,
  memoryUsedBytes: 3 * 2 ** 20,
  memoryTotalBytes: 24 * 2 ** 30,
  powerLimitW: 70,
  clockMHz: 585,
  clockMaxMHz: 2040,
  clocksUnderLoadMHz: [2040, 2040],
  processes: [],
  notes: [],
  lockCaveats: [],
};

const QUIET: Omit<DoctorReport, 'advice'> = {
  schema: DOCTOR_SCHEMA,
  version: '1.2.3',
  environment: {
    class: '76eb48102ede',
    facts: { 'cpu.model': 'EPYC', 'cpu.granted': 8, 'cpu.loadAverage': 0.1, 'cpu.governor': 'performance' },
  },
  threads: 4,
  pinned: [0, 1, 2, 3],
  engine: { version: '1.30.0', source: 'node_modules', dir: '/app', digest: 'adc9d1062595aaaa' },
  providers: [{ name: 'cpu', fault: null }],
  gpu: GPU,
  baselines: [],
  trial: TRIAL,
};

const agreeing = (change: Partial<typeof AGREEMENT>) => ({
  trial: { ...TRIAL, agreement: { ...AGREEMENT, ...change } },
});
const fact = (name: string, value: string | number) => ({
  environment: { ...QUIET.environment, facts: { ...QUIET.environment.facts, [name]: value } },
});

describe('advice of doctor', () => {
  it('is none for a quiet machine', () => {
    expect(doctorAdvice(QUIET)).toEqual([]);
  });

  it.each<[string, Partial<DoctorReport>, RegExp]>([
    ['an engine that is missing', { engine: { fault: 'no npm' } }, /^nothing can be measured: no npm$/],
    [
      'a trial that failed',
      { trial: { fault: 'how to feed it is not known' } },
      /nothing can be measured: how to feed/,
    ],
    ['an old driver', { gpu: { ...GPU, driverFault: 'driver 535 is too old' } }, /^driver 535 is too old$/],
    [
      'a stranger on the card',
      { gpu: { ...GPU, processes: [{ pid: 7, name: 'python', usedBytes: null }] } },
      /7 \(python\): stop them/,
    ],
    ['a card without persistence', { gpu: { ...GPU, notes: ['persistence mode is off'] } }, /persistence/],
    ['a lock that protects nobody', { gpu: { ...GPU, lockCaveats: ['not locked'] } }, /not locked/],
    ['clocks that wander', { gpu: { ...GPU, clocksUnderLoadMHz: [2040, 1500] } }, /from 1500 to 2040 MHz.*lock-clocks/],
    ['load', fact('cpu.loadAverage', 3), /load 3 on 8 processors/],
    ['a quota', fact('cpu.quota', 1.5), /quota of 1.5 processors/],
    ['a governor', fact('cpu.governor', 'powersave'), /governor powersave.*performance/],
    ['no spare processor', { threads: 8 }, /all 8 granted processors/],
    ['equal bytes that differ', agreeing({ isBiased: true, difference: 0.02 }), /same bytes differ by \+2\.0 %/],
    ['two speeds', agreeing({ modes: 0.1 }), /two speeds, 10 % apart/],
    ['an order effect', agreeing({ byOrder: { first: 0.05, second: 0 } }), /started first differs by 5 %/],
    [
      'a spread that drowns the margin',
      agreeing({ provable: [{ restarts: 41, change: 0.12 }] }),
      /margin of 3 % is tight here: only changes of 12 %/,
    ],
    ['a feed that hides', { trial: { ...TRIAL, oneFeed: 0.2 } }, /one repeated feed looks faster/],
    ['restarts lost', { trial: { ...TRIAL, invalidRestarts: 2, invalidReasons: ['heat'] } }, /2 restart.*heat/],
  ])('names %s', (_, change, expected) => {
    const advice = doctorAdvice({ ...QUIET, ...change });
    expect(advice.filter((text) => expected.test(text))).toHaveLength(1);
  });
});

describe('what makes measuring impossible', () => {
  it.each<[Partial<DoctorReport>, string | null]>([
    [{}, null],
    [{ engine: { fault: 'x' } }, 'x'],
    [{ trial: { fault: 'y' } }, 'y'],
    [{ trial: { ...TRIAL, agreement: null } }, 'the trial gave no comparable restarts'],
    [{ gpu: { fault: 'z' } }, null],
  ])('%j: %s', (change, reason) => {
    expect(impossibility({ ...QUIET, ...change })).toBe(reason);
  });
});

describe('text of doctor', () => {
  const text = (change: Partial<DoctorReport> = {}) => doctorText({ ...QUIET, advice: [], ...change });

  it('shows machine, class, engine, card and what can be proven', () => {
    const shown = text();
    expect(shown).toContain('EPYC, 8 processors granted, no quota, 4 threads a session, pinned to 0,1,2,3');
    expect(shown).toContain('76eb48102ede (cpu.model EPYC, cpu.granted 8)');
    expect(shown).toContain('onnxruntime-node 1.30.0 from node_modules (/app), digest adc9d1062595');
    expect(shown).toContain('3.00 MiB of 24.0 GiB used, compute processes: 0, 41 °C, limit 70 W');
    expect(shown).toContain('slower by 4.7 % after 6, 3.4 % after 41 restarts, at a margin of 3 %');
    expect(shown).toContain('Nothing to mend.');
  });

  it('shows which stored baselines it would be compared with', () => {
    const stored = { path: 'p', machine: 'EPYC', sessions: 4, newest: '2026-11-28T10:00:00Z', fault: null };
    const baselines = [
      { ...stored, model: 'ranker', isOfThisClass: true },
      { ...stored, model: 'ranker', isOfThisClass: false },
    ];
    expect(text({ baselines })).toContain('ranker: 4 sessions, newest 2026-11-28; 1 of other classes');
  });

  it('numbers what to mend and says why there is no card, engine or trial', () => {
    const fault = { fault: 'because' };
    const shown = text({ gpu: fault, engine: fault, trial: fault, providers: [], advice: ['first', 'second'] });
    expect(shown.match(/because/g)).toHaveLength(3);
    expect(shown).toMatch(/To mend\n {2}1\. first\n {2}2\. second\n$/);
  });

  it('prints nothing that a terminal or runner would obey', () => {
    const evil = '\u001b[31m::set-output\nx';
    const shown = text({
      gpu: { ...GPU, name: evil },
      trial: { ...TRIAL, model: evil, notes: [evil] },
      providers: [{ name: evil, fault: evil }],
      advice: [evil],
    });
    expect(shown).not.toContain('\u001b');
    expect(shown).not.toContain('::set-output');
  });
});
