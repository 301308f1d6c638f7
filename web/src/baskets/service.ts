// Baskets as the service takes and gives them.
import { answer, api, type Schemas } from "../api/client.ts";
import type { BasketBody } from "./basket.ts";

export type BasketQuote = Schemas["BasketQuote"];
export type BasketMade = Schemas["Basket"];

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
