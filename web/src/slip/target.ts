import type { Schemas } from "../api/client.ts";
import type { ApiError } from "../api/errors.ts";
import type { BasketBody } from "../baskets/basket.ts";
import type { BasketMade } from "../baskets/service.ts";

export type Side = "YES" | "NO";
export type Action = "buy" | "sell";

export interface Holding {
  shares: number;
  /** Those among them that orders at a price have on sale: nothing else sells them. */
  reserved: number;
  /** What the held shares cost. */
  costKopecks: number;
}

/** What the slip trades. Its owner keeps it live. */
export interface SlipTarget {
  eventId: number;
  eventName: string;
  poolId: number;
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
  /** Of a list out of which outcomes are taken while people trade. */
  list?: ListTarget | null;
}

export interface ListTarget {
  /** By outcome_index. An order says how many its sender knows: where there are more, it means something else. */
  names: readonly string[];
  /** Whether the outcome is the one that others are taken out of: its No is a basket of all others. */
  isOther: boolean;
}

/** How many outcomes of a list an order knows; null of other pools. */
export function knownOutcomes({ list }: SlipTarget): { outcomes: number | null } {
  return { outcomes: list ? list.names.length : null };
}

/** An order as the service takes it. */
export type OrderRequest =
  | {
      action: "buy";
      body: {
        market_id: number;
        token_type: Side;
        amount_kopecks: number;
        min_shares: number;
        outcomes: number | null;
      };
    }
  | {
      action: "sell";
      body: {
        market_id: number;
        token_type: Side;
        shares: number;
        min_payout_kopecks: number;
        outcomes: number | null;
      };
    }
  | { action: "limit"; body: Schemas["NewOrder"] }
  | { action: "basket"; poolId: number; body: BasketBody };

/** The market of an order; null of a basket. */
export function marketOf(request: OrderRequest | undefined): number | null {
  return request && request.action !== "basket" ? request.body.market_id : null;
}

export interface Receipt {
  shares: number;
  amountKopecks: number;
  balanceKopecks: number;
  /** Of a sale. */
  pnlKopecks: number | null;
  /** It met as many orders as one may: in parts it might get more. */
  isCapped: boolean;
}

/** What became of an order. */
export type Outcome =
  | { receipt: Receipt }
  /** An order at a price, as its arrival left it. */
  | { placed: Schemas["PlacedOrder"] }
  | { basket: BasketMade }
  | { refused: ApiError };

export interface SentOrder {
  key: string;
  /** Only this user's session may send it again: keys are each user's own. */
  userId: number;
  request: OrderRequest;
  eventId: number;
  /** For where the slip is not on the screen. */
  name: string;
  /** What is said with it, once it is made; missing where nothing is. */
  comment?: string;
  /** Whether an attempt was left without an answer. */
  undecided: boolean;
  /** When it was placed, Unix milliseconds of the service's clock. */
  placedAt: number;
  /** Whether its session ended after that attempt: it is looked for before it is sent once more. */
  away: boolean;
}
