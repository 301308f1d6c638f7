// What would move the market to what somebody thinks: what the service's house account trades (docs/odds.md).
import { estimate, type Curve } from "../baskets/basket.ts";

/** Of its prices, how much of the market's a believer keeps: nobody is sure of what lies far out. */
const DOUBT = 0.01;
const STEPS = 50;
const LEAST_PRICE = 1e-12;

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
