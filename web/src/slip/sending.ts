// How an order is sent.
import { answer, api } from "../api/client.ts";
import { makeBasket } from "../baskets/service.ts";
import type { Outcome, SentOrder } from "./target.ts";

export async function send({ key, request }: Pick<SentOrder, "key" | "request">): Promise<Outcome> {
  const params = { header: { "Idempotency-Key": key } };
  if (request.action === "limit") {
    return {
      placed: await answer(api.POST("/api/v1/market/orders", { params, body: request.body })),
    };
  }
  if (request.action === "basket") return { basket: await makeBasket(request.body, key) };
  if (request.action === "buy") {
    const made = await answer(
      api.POST("/api/v1/market/bets", {
        params,
        body: { ...request.body, max_price_bps: null },
      }),
    );
    return {
      receipt: { ...receiptOf(made), amountKopecks: made.amount_kopecks, pnlKopecks: null },
    };
  }
  const made = await answer(
    api.POST("/api/v1/market/positions/sell", {
      params,
      body: request.body,
    }),
  );
  return {
    receipt: { ...receiptOf(made), amountKopecks: made.payout_kopecks, pnlKopecks: made.pnl },
  };
}

interface Made {
  shares: number;
  balance_kopecks: number;
  capped: boolean;
}

/** What the answers to a bet and to a sale have in common. */
function receiptOf(made: Made) {
  return {
    shares: made.shares,
    balanceKopecks: made.balance_kopecks,
    isCapped: made.capped,
  };
}
