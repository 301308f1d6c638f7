import type { ApiError } from "../api/errors.ts";

export type Side = "YES" | "NO";
export type Action = "buy" | "sell";

export interface Holding {
  shares: number;
  /** What the held shares cost. */
  costKopecks: number;
}

/** What the slip trades. Its owner keeps it live. */
export interface SlipTarget {
  eventId: number;
  eventName: string;
  marketId: number;
  /** The outcome's name; of a yes/no pool the question's. */
  name: string;
  colour?: string;
  /** Of YES. */
  probability: number;
  b: number;
  margin: number;
  /** Why nothing can be traded; null while it can. */
  halted: string | null;
  held: Partial<Record<Side, Holding>>;
}

/** An order as the service takes it. */
export type OrderRequest =
  | {
      action: "buy";
      body: { market_id: number; token_type: Side; amount_kopecks: number; min_shares: number };
    }
  | {
      action: "sell";
      body: { market_id: number; token_type: Side; shares: number; min_payout_kopecks: number };
    };

export interface Receipt {
  shares: number;
  amountKopecks: number;
  avgPriceBps: number;
  balanceKopecks: number;
  /** Of a sale. */
  pnlKopecks: number | null;
}

/** What became of an order. */
export type Outcome = { receipt: Receipt } | { refused: ApiError };
