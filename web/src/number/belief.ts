// What somebody thinks of a number: its median, and the range that holds it in eight of ten cases. What would move the
// market there is what the service's house account trades (docs/odds.md).
import { estimate, type Curve } from "../baskets/basket.ts";
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
/** Of its prices, how much of the market's a believer keeps: nobody is sure of what lies far out. */
const DOUBT = 0.01;
const STEPS = 50;
const LEAST_PRICE = 1e-12;

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

export interface Move {
  /** By outcome: shares to buy, with a minus to sell. */
  changes: number[];
  /** How far to what is believed, 0…1. */
  part: number;
}

/**
 * What a stake buys to move the prices to what is believed, as far as it reaches; null where that is nothing. With
 * prices p and targets t it is part·b·ln(t/p) + c, c the least with which no more is sold than is held.
 */
export function moveTo(
  belief: readonly number[],
  held: readonly number[],
  stake: number,
  curve: Curve,
): Move | null {
  const { probabilities, b } = curve;
  const gaps = probabilities.map((price, index) => {
    const target = (1 - DOUBT) * (belief[index] ?? 0) + DOUBT * price;
    return b * Math.log(Math.max(target, LEAST_PRICE) / Math.max(price, LEAST_PRICE));
  });
  const at = (part: number) => {
    const least = Math.max(...gaps.map((gap, index) => -(held[index] ?? 0) - part * gap));
    return gaps.map((gap) => Math.trunc(part * gap + least));
  };
  const costs = (changes: number[]) => -estimate({ kind: "changes", changes }, curve).netKopecks;
  let [low, high] = [0, 1];
  if (costs(at(1)) <= stake) low = 1;
  else
    for (let step = 0; step < STEPS; step++) {
      const middle = (low + high) / 2;
      if (costs(at(middle)) <= stake) low = middle;
      else high = middle;
    }
  const changes = at(low);
  return changes.some((shares) => shares !== 0) ? { changes, part: low } : null;
}
