/** Prefix of the metrics that compare what both arms compute, as `output.scores.max-abs`; reported unless a limit is set. */
export const OUTPUT_METRIC_PREFIX = 'output.';

/** The pseudo-metric that carries a fault of a whole case (load failure, crash, missing shard). */
export const RUN_METRIC = 'run';
