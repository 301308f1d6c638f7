// Baskets as the service takes and gives them.
import { answer, api } from "../api/client.ts";
import type { BasketBody } from "./basket.ts";

export interface BasketLeg {
  market_id: number;
  /** With a minus where sold. */
  shares: number;
  amount_kopecks: number;
}
export interface BasketQuote {
  pool_id: number;
  legs: BasketLeg[];
  payout_kopecks: number;
  cost_kopecks: number;
  fee_kopecks: number;
  net_kopecks: number;
  /** Basis points; null of changes. */
  avg_price: number | null;
  probabilities_before: number[];
  probabilities_after: number[];
}
export interface BasketMade extends BasketQuote {
  id: number;
  balance_kopecks: number;
  created_at: string;
}

interface BasketTrade {
  action: "buy" | "sell";
  amount_kopecks: number;
  legs?: BasketLeg[] | null;
}

// Until the service's description names these two, their types stand here.
const post = api.POST as unknown as <Data>(
  path: string,
  options: object,
) => Promise<{ data?: Data; response: Response }>;

export async function quoteBasket(body: BasketBody, signal: AbortSignal): Promise<BasketQuote> {
  return answer(post<BasketQuote>("/api/v1/market/baskets/quote", { body, signal }));
}

export async function makeBasket(body: BasketBody, key: string): Promise<BasketMade> {
  const params = { header: { "Idempotency-Key": key } };
  return answer(post<BasketMade>("/api/v1/market/baskets", { params, body }));
}

/** Whether a trade may be a part of that basket. */
export function isOfBasket(trade: BasketTrade, body: BasketBody): boolean {
  const { legs } = trade;
  if (!legs) return false;
  const sharesOf = (marketId: number) =>
    legs.find(({ market_id }) => market_id === marketId)?.shares;
  if ("market_ids" in body)
    return (
      trade.action === "buy" &&
      trade.amount_kopecks === body.amount_kopecks &&
      body.market_ids.every((id) => sharesOf(id) !== undefined)
    );
  const isBought = trade.action === "buy";
  const part = body.changes.filter(({ shares }) => shares > 0 === isBought);
  return (
    part.length === legs.length &&
    part.every(({ market_id, shares }) => Math.abs(sharesOf(market_id) ?? 0) === Math.abs(shares))
  );
}
