import type { Outcome } from '../verdict/verdict.ts';
import type { RestartTable } from './restart-table.ts';
import type { Trend } from './trend-chart.ts';

/** What a report needs beside the verdict; everything may be left out. */
export interface ReportOptions {
  /** Default true; false says "not enforced" first. */
  readonly enforced?: boolean;
  /** Said before all else where the step does not follow the outcome; default `not enforced` where it is not. */
  readonly remark?: string | null;
  /** Outcomes of earlier attempts on the same head, oldest first. */
  readonly attempts?: readonly Outcome[];
  /** The run whose job summary holds all rows. */
  readonly workflowUrl?: string;
  /** The verdict file. */
  readonly detailsUrl?: string;
  /** The page on how the gate decides. */
  readonly docsUrl?: string;
  /** Config file that takes waivers; default `.github/model-gate.yml`. */
  readonly configPath?: string;
  /** First line of the comment, by which it is found again; written as it is. */
  readonly marker?: string;
  readonly trend?: readonly Trend[];
  readonly restartTables?: readonly RestartTable[];
  /** Path in the repository by model id, for the command that looks closer. */
  readonly modelPaths?: Readonly<Record<string, string>>;
  /** Expiry date to propose in waivers, as `2027-01-31`; without it the reader fills it in. */
  readonly waiveUntil?: string;
}
