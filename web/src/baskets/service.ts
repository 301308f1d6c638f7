// Baskets as the service takes and gives them.
import { answer, api, type Schemas } from "../api/client.ts";
import type { BasketBody } from "./basket.ts";

export type BasketQuote = Schemas["BasketQuote"];
export type BasketMade = Schemas["Basket"];
type BasketTrade = Pick<Schemas["OwnTrade"], "action" | "amount_kopecks" | "legs">;

export async function quoteBasket(body: BasketBody, signal: AbortSignal): Promise<BasketQuote> {
  return answer(
    api.POST("/api/v1/market/baskets/quote", { body: { ...NOTHING, ...body }, signal }),
  );
}

export async function makeBasket(body: BasketBody, key: string): Promise<BasketMade> {
  const params = { header: { "Idempotency-Key": key } };
  return answer(api.POST("/api/v1/market/baskets", { params, body: { ...NOTHING, ...body } }));
}

/** The fields of the form that a basket does not have. */
const NOTHING: Schemas["BasketOrder"] = {
  market_ids: null,
  given: null,
  amount_kopecks: null,
  min_shares: null,
  changes: null,
  min_net_kopecks: null,
  outcomes: null,
};

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
