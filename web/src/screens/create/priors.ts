// Chances of ranges from a median and an 80 % range: a bell with a width of its own on each side of the median.

/** What one believes of a number, or of a moment in any unit: 10th, 50th and 90th percentile. */
export interface Belief {
  low: number;
  median: number;
  high: number;
}

/** How many standard deviations the 10th and the 90th percentile are from the median. */
const TENTH = 1.2815515655446004;
/** The part that is spread evenly over all ranges, so that none costs the house much by coming true. */
const EVEN = 0.02;
const WHOLE = 10_000;

/** Chances of the ranges between ascending edges: one more than edges; they sum to 1, in whole hundredths of a percent. */
export function rangePriors(edges: number[], belief: Belief): number[] {
  const below = edges.map((edge) => chanceBelow(edge, belief));
  const chances = [...below, 1].map(
    (upTo, index) => upTo - (index > 0 ? (below[index - 1] ?? 0) : 0),
  );
  const even = EVEN / chances.length;
  return wholeHundredths(chances.map((chance) => chance * (1 - EVEN) + even));
}

export function isBelief({ low, median, high }: Belief): boolean {
  return low < median && median < high;
}

/** Weights as chances of whole hundredths of a percent, none of them 0, that sum to exactly 1. */
export function wholeHundredths(weights: number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const parts = weights.map((weight) => Math.max(1, Math.round((weight / total) * WHOLE)));
  let rest = WHOLE - parts.reduce((sum, part) => sum + part, 0);
  // What rounding left over goes to the largest, one by one, where it shows least.
  const largest = parts
    .map((_, index) => index)
    .sort((one, other) => (parts[other] ?? 0) - (parts[one] ?? 0));
  for (let turn = 0; rest !== 0; turn++) {
    const index = largest[turn % largest.length] ?? 0;
    const part = parts[index] ?? 0;
    if (rest < 0 && part <= 1) continue;
    parts[index] = part + Math.sign(rest);
    rest -= Math.sign(rest);
  }
  return parts.map((part) => part / WHOLE);
}

function chanceBelow(value: number, { low, median, high }: Belief): number {
  const width = (value < median ? median - low : high - median) / TENTH;
  return normal((value - median) / width);
}

/** The standard normal distribution: Abramowitz and Stegun 26.2.17, off by less than 1e-7. */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const factors = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
  const sum = factors.reduceRight((inner, factor) => (inner + factor) * t, 0);
  const beyond = (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
  return z < 0 ? beyond : 1 - beyond;
}
