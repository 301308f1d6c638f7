// What orders are called and what became of them.
import { dateTime } from "../lib/formats.ts";
import { sideText } from "../lib/holding-names.ts";
import { t, type PlainKey } from "../lib/i18n.ts";
import { money } from "../lib/money.ts";
import type { Order } from "./own-orders.ts";

/** Reasons of an end that came with the question's own. */
export const OVER: ReadonlySet<Order["reason"]> = new Set(["closed", "resolved", "split"]);

const REASONS: Record<NonNullable<Order["reason"]>, PlainKey> = {
  user: "orders.end_user",
  ioc: "orders.end_ioc",
  self_trade: "orders.end_self_trade",
  fill_limit: "orders.end_fill_limit",
  market_limit: "orders.end_market_limit",
  closed: "orders.end_closed",
  resolved: "orders.end_resolved",
  split: "orders.end_split",
  deactivated: "orders.end_deactivated",
};

/** "Buy Yes". */
export function wayText({ action, token_type: side }: Order): string {
  return t(action === "buy" ? "orders.buy" : "orders.sell", { side: sideText(side) });
}

/** "₽4 of ₽20". */
export function filledText({ filled_shares: filled, shares }: Order): string {
  return t("orders.of", {
    filled: money(filled, { as: "short" }),
    all: money(shares, { as: "short" }),
  });
}

/** What it holds: money of a purchase, `held` as it is shown, or shares of a sale. */
export function heldText(order: Order, held = order.held_kopecks): string {
  if (order.action === "buy") return money(held);
  const amount = money(order.shares - order.filled_shares, { as: "short" });
  return t("orders.on_sale", { amount });
}

/** What became of it, and of what it held. */
export function endText(order: Order): string {
  switch (order.status) {
    case "open":
      return order.expires_at
        ? t("orders.open_until", { time: dateTime(order.expires_at) })
        : t("orders.open");
    case "filled":
      return t("orders.end_filled");
    case "expired":
      return t("orders.end_expired");
    case "cancelled":
      return t(order.reason ? REASONS[order.reason] : "orders.end_user");
  }
}
