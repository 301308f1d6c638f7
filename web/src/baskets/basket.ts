// A basket: one order on several outcomes of a pool at one exact price. What it would do by the pool's last prices is
// computed here, shown at once and marked ≈, until the service has quoted it. The formulas are docs/baskets.md's.
// A share pays one kopeck; money and shares are whole numbers. Outcomes are meant by outcome_index.
import { growth } from "../slip/estimate.ts";

/** A stake on some outcomes, given some: "B if A". The rest of the stake comes back where none of `given` happens. */
export interface StakeBody {
  market_ids: number[];
  given?: number[];
  amount_kopecks: number;
  min_shares?: number;
  /** Of a list: how many outcomes are known. */
  outcomes?: number;
}
/** Shares to buy, and with a minus to sell, of each market. */
export interface ChangesBody {
  changes: { market_id: number; shares: number }[];
  min_net_kopecks?: number;
  outcomes?: number;
}
export type BasketBody = StakeBody | ChangesBody;

/** What the slip holds. */
export type Wanted =
  | {
      kind: "stake";
      targets: readonly number[];
      given?: readonly number[];
      /** Kopecks, fee included. */
      stake: number;
    }
  | { kind: "changes"; changes: readonly number[] };

export interface Curve {
  probabilities: readonly number[];
  /** The market maker's liquidity parameter, kopecks. */
  b: number;
  /** Fee on a stake: 0.02 is 2 %. */
  margin: number;
}

export interface BasketFigures {
  isEstimate: boolean;
  /** Of a stake: what each of its outcomes pays; null of changes. */
  shares: number | null;
  /** By outcome: shares bought, with a minus sold. What it pays more, or less, if that one happens. */
  changes: number[];
  /** What its sales bring. */
  payoutKopecks: number;
  /** Without the fee. */
  costKopecks: number;
  feeKopecks: number;
  /** What comes in: payout less cost and fee. */
  netKopecks: number;
  before: readonly number[];
  after: readonly number[];
}

const FLOAT_ERROR = 1e-9;

export function estimate(wanted: Wanted, curve: Curve): BasketFigures {
  return wanted.kind === "stake" ? estimateStake(wanted, curve) : estimateChanges(wanted, curve);
}

function estimateStake(
  { targets, given, stake }: Extract<Wanted, { kind: "stake" }>,
  curve: Curve,
): BasketFigures {
  const { probabilities, b, margin } = curve;
  const feeKopecks = Math.ceil(stake * margin);
  const costKopecks = stake - feeKopecks;
  const price = sumOf(probabilities, targets) / (given ? sumOf(probabilities, given) : 1);
  const shares = Math.floor(b * growth(costKopecks / b, price));
  const changes = probabilities.map((_, index) => {
    if (targets.includes(index)) return shares;
    return given && !given.includes(index) ? costKopecks : 0;
  });
  return {
    isEstimate: true,
    shares,
    changes,
    payoutKopecks: 0,
    costKopecks,
    feeKopecks,
    netKopecks: -stake,
    before: probabilities,
    after: moved(probabilities, changes, b),
  };
}

function estimateChanges(
  { changes }: Extract<Wanted, { kind: "changes" }>,
  { probabilities, b, margin }: Curve,
): BasketFigures {
  const bought = changes.map((shares) => Math.max(0, shares));
  const sold = changes.map((shares) => Math.min(0, shares));
  const costKopecks = up(b * raised(probabilities, bought, b));
  const feeKopecks = up((costKopecks * margin) / (1 - margin));
  const between = moved(probabilities, bought, b);
  const payoutKopecks = down(-b * raised(between, sold, b));
  return {
    isEstimate: true,
    shares: null,
    changes: [...changes],
    payoutKopecks,
    costKopecks,
    feeKopecks,
    netKopecks: payoutKopecks - costKopecks - feeKopecks,
    before: probabilities,
    after: moved(between, sold, b),
  };
}

/** The prices after shares of each were bought. */
export function moved(
  probabilities: readonly number[],
  changes: readonly number[],
  b: number,
): number[] {
  const most = Math.max(...changes);
  const weights = probabilities.map((price, i) => price * Math.exp(((changes[i] ?? 0) - most) / b));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / all);
}

/** The logarithm of the sum of all p·exp(x/b): by how much the curve rises, in parts of b. */
function raised(probabilities: readonly number[], changes: readonly number[], b: number): number {
  const most = Math.max(...changes);
  const sum = probabilities.reduce(
    (total, price, i) => total + price * Math.expm1(((changes[i] ?? 0) - most) / b),
    0,
  );
  return most / b + Math.log1p(sum);
}

export function sumOf(values: readonly number[], indexes: readonly number[]): number {
  return indexes.reduce((sum, index) => sum + (values[index] ?? 0), 0);
}

function up(value: number): number {
  return Math.max(0, Math.ceil(value - FLOAT_ERROR * Math.max(1, value)));
}

function down(value: number): number {
  return Math.max(0, Math.floor(value + FLOAT_ERROR * Math.max(1, value)));
}

/** The order as the service takes it, of the markets by outcome_index; without its guard. */
export function bodyOf(wanted: Wanted, marketIds: readonly number[]): BasketBody {
  const ids = (indexes: readonly number[]) => indexes.map((index) => marketIds[index] ?? 0);
  if (wanted.kind === "stake") {
    const { targets, given, stake } = wanted;
    const condition = given ? { given: ids(given) } : {};
    return { market_ids: ids(targets), ...condition, amount_kopecks: stake };
  }
  return {
    changes: wanted.changes.flatMap((shares, index) =>
      shares === 0 ? [] : [{ market_id: marketIds[index] ?? 0, shares }],
    ),
  };
}
