// What an order would do by the pool's last price: shown at once, marked ≈, until the service has quoted it.
// The formulas are docs/pricing.md's. A share pays one kopeck; money and shares are whole numbers.

export interface Price {
  /** The price of the side that is traded: probability of YES, or 1 minus it. 0…1 */
  price: number;
  /** The market maker's liquidity parameter, kopecks. */
  b: number;
  /** Fee on a stake: 0.02 is 2 %. */
  margin: number;
}

export interface Estimate {
  shares: number;
  /** The stake of a buy, the payout of a sale. */
  amountKopecks: number;
  feeKopecks: number;
  priceAfter: number;
}

export function estimateBuy(stakeKopecks: number, { price, b, margin }: Price): Estimate {
  const feeKopecks = Math.ceil(stakeKopecks * margin);
  const paid = (stakeKopecks - feeKopecks) / b;
  const shares = Math.floor(b * growth(paid, price));
  const priceAfter = 1 - (1 - price) * Math.exp(-paid);
  return { shares, amountKopecks: stakeKopecks, feeKopecks, priceAfter };
}

/** log1p(expm1(x) / p), also where exp(x) is more than a number can hold. */
export function growth(x: number, p: number): number {
  return x > 500 ? x - Math.log(p) : Math.log1p(Math.expm1(x) / p);
}

export function estimateSale(shares: number, { price, b }: Omit<Price, "margin">): Estimate {
  const left = 1 + price * Math.expm1(-shares / b);
  const amountKopecks = Math.floor(-b * Math.log(left));
  return {
    shares,
    amountKopecks,
    feeKopecks: 0,
    priceAfter: (price * Math.exp(-shares / b)) / left,
  };
}

/** What a buy must pay, fee included, to move the side's price to `target`; null where it is there already. */
export function stakeToMove(target: number, { price, b, margin }: Price): number | null {
  if (target <= price || target >= 1) return null;
  return Math.ceil((b * Math.log((1 - price) / (1 - target))) / (1 - margin));
}

/** The least that the order accepts: `percent` under what was quoted. */
export function guarded(quoted: number, percent: number): number {
  return Math.max(1, quoted - Math.ceil((quoted * percent) / 100));
}

/** What was paid for a part of what is held, kopecks: as the service reckons it, whose receipt says the result. */
export function soldCost(held: { shares: number; costKopecks: number }, shares: number): number {
  return Number((BigInt(held.costKopecks) * BigInt(shares)) / BigInt(held.shares));
}
