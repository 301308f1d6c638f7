// How an order is sent, and how one is found whose answer never came.
import { answer, api } from "../api/client.ts";
import { isOfBasket, makeBasket } from "../baskets/service.ts";
import type { SentOrder } from "./order.svelte.ts";
import type { Outcome } from "./target.ts";

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
    const { orders: own } = await answer(api.GET("/api/v1/market/orders", { params: { query } }));
    const fields = ["token_type", "action", "shares", "price_bps"] as const;
    return own.some(
      (order) => fields.every((name) => order[name] === body[name]) && isLater(order.created_at),
    );
  }
  const { trades } = await answer(
    api.GET("/api/v1/users/me/trades", { params: { query: { limit: 100 } } }),
  );
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

export async function send({ key, request }: Pick<SentOrder, "key" | "request">): Promise<Outcome> {
  const headers = { "Idempotency-Key": key };
  if (request.action === "limit") {
    const params = { header: headers };
    return {
      placed: await answer(api.POST("/api/v1/market/orders", { params, body: request.body })),
    };
  }
  if (request.action === "basket") return { basket: await makeBasket(request.body, key) };
  if (request.action === "buy") {
    const made = await answer(
      api.POST("/api/v1/market/bets", {
        params: { header: headers },
        body: { ...request.body, max_price_bps: null },
      }),
    );
    return {
      receipt: {
        shares: made.shares,
        amountKopecks: made.amount_kopecks,
        avgPriceBps: made.avg_price,
        balanceKopecks: made.balance_kopecks,
        pnlKopecks: null,
        isCapped: made.capped,
      },
    };
  }
  const made = await answer(
    api.POST("/api/v1/market/positions/sell", {
      params: { header: headers },
      body: request.body,
    }),
  );
  return {
    receipt: {
      shares: made.shares,
      amountKopecks: made.payout_kopecks,
      avgPriceBps: made.avg_price,
      balanceKopecks: made.balance_kopecks,
      pnlKopecks: made.pnl,
      isCapped: made.capped,
    },
  };
}
