// How much the house risks on a pool, and how hard its prices are to move. The formulas are docs/pricing.md's.
import { estimateBuy } from "../../slip/estimate.ts";

export const LEAST_B = 100;
export const MOST_B = 1_000_000_000_000;

/** The least prior of a pool; a yes/no question has two outcomes, though one market. */
export function leastPrior(priors: number[]): number {
  const [only] = priors;
  return priors.length === 1 && only !== undefined ? Math.min(only, 1 - only) : Math.min(...priors);
}

/** b for which the house loses at most `worstKopecks`: W / ln(1 / min w). */
export function liquidityFor(worstKopecks: number, priors: number[]): number {
  return Math.floor(worstKopecks / Math.log(1 / leastPrior(priors)));
}

/** What the house pays at publication, and can lose at most. */
export function worstCase(b: number, priors: number[]): number {
  return Math.ceil(b * Math.log(1 / leastPrior(priors)));
}

/** Where a stake on Yes moves a probability. */
export function movedBy(stakeKopecks: number, prior: number, b: number, margin: number): number {
  return estimateBuy(stakeKopecks, { price: prior, b, margin }).priceAfter;
}

/** b after the house adds to what it risks at the prices of now. */
export function liquidityAfter(b: number, addedKopecks: number, prices: number[]): number {
  return b + Math.floor(addedKopecks / Math.log(1 / leastPrior(prices)));
}
