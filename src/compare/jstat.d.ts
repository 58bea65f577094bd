/** The parts of jstat that are used; the package has no types. */
declare module 'jstat' {
  const jstat: {
    readonly normal: {
      inv(p: number, mean: number, sd: number): number;
      cdf(x: number, mean: number, sd: number): number;
    };
    readonly studentt: {
      inv(p: number, degreesOfFreedom: number): number;
      cdf(x: number, degreesOfFreedom: number): number;
    };
  };
  export = jstat;
}
