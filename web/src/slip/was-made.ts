// How an order is found whose answer never came: seldom needed, so loaded then.
import { get, type Schemas } from "../api/client.ts";
import type { BasketBody } from "../baskets/basket.ts";
import type { SentOrder } from "./target.ts";

type BasketTrade = Pick<Schemas["OwnTrade"], "action" | "amount_kopecks" | "legs">;

const CLOCKS_DIFFER_MS = 5_000;

/** Whether such an order was carried out since it was placed. */
export async function wasMade({
  request,
  placedAt,
}: Pick<SentOrder, "request" | "placedAt">): Promise<boolean> {
  const isLater = (made: string) => Date.parse(made) > placedAt - CLOCKS_DIFFER_MS;
  if (request.action === "limit") {
    const { body } = request;
    const query = { market_id: body.market_id, limit: 100 };
    const { orders: own } = await get("/api/v1/market/orders", { query });
    const fields = ["token_type", "action", "shares", "price_bps"] as const;
    return own.some(
      (order) => fields.every((name) => order[name] === body[name]) && isLater(order.created_at),
    );
  }
  const { trades } = await get("/api/v1/users/me/trades", { query: { limit: 100 } });
  if (request.action === "basket")
    return trades.some((trade) => isOfBasket(trade, request.body) && isLater(trade.created_at));
  const { market_id: market, token_type: side } = request.body;
  return trades.some(
    (trade) =>
      trade.market_id === market &&
      trade.token_type === side &&
      trade.action === request.action &&
      (request.action === "buy"
        ? trade.amount_kopecks === request.body.amount_kopecks
        : trade.shares === request.body.shares) &&
      isLater(trade.created_at),
  );
}

/** Whether a trade may be a part of that basket. */
function isOfBasket(trade: BasketTrade, body: BasketBody): boolean {
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
