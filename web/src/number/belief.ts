// What somebody thinks of a number: its median, and the range that holds it in eight of ten cases.
import type { Axis } from "../lib/shapes.ts";

export interface Belief {
  /** 10th percentile. */
  low: number;
  median: number;
  /** 90th percentile. */
  high: number;
}

/** The 90th percentile of the normal distribution. */
const TENTH = 1.2815515655446004;
/** How much of the range must lie on either side of its median for one smooth curve to have all three. */
const SMOOTH = 0.17;
const HALVINGS = 60;

/**
 * The chance of each range: a smooth curve with these three percentiles (a metalog of three terms, Keelin 2016), or, far
 * from symmetric, a half of a normal curve on either side of the median.
 */
export function believed(axis: Axis, { low, median, high }: Belief): number[] {
  const place = (value: number) => (axis.isLog ? Math.log(Math.max(value, 1e-300)) : value);
  const [left, middle, right] = [place(low), place(median), place(high)];
  const part = (middle - left) / (right - left);
  const reach =
    part > SMOOTH && part < 1 - SMOOTH
      ? (at: number) => smooth(at, { middle, width: right - left, part })
      : (at: number) => halves(at - middle, middle - left, right - middle);
  const reached = axis.edges.map((edge) => reach(place(edge)));
  return [...reached, 1].map((value, index) => value - (reached[index - 1] ?? 0));
}

/** The distribution function of the metalog: what its quantile function says, the other way round. */
function smooth(
  at: number,
  { middle, width, part }: { middle: number; width: number; part: number },
): number {
  const odds = Math.log(9);
  const spread = width / (2 * odds);
  const skew = (width * (1 - 2 * part)) / (0.8 * odds);
  let [low, high] = [0, 1];
  for (let step = 0; step < HALVINGS; step++) {
    const y = (low + high) / 2;
    const logit = Math.log(y / (1 - y));
    if (middle + spread * logit + skew * (y - 0.5) * logit < at) low = y;
    else high = y;
  }
  return (low + high) / 2;
}

function halves(away: number, left: number, right: number): number {
  return normal((away * TENTH) / Math.max(away < 0 ? left : right, 1e-12));
}

/** The normal distribution function; Abramowitz and Stegun, 7.1.26: to 1.5e-7. */
function normal(x: number): number {
  const z = Math.abs(x) / Math.SQRT2;
  const k = 1 / (1 + 0.3275911 * z);
  const polynomial =
    ((((1.061405429 * k - 1.453152027) * k + 1.421413741) * k - 0.284496736) * k + 0.254829592) * k;
  const tail = (polynomial * Math.exp(-z * z)) / 2;
  return x < 0 ? tail : 1 - tail;
}
