import type { Schemas } from "../../api/client.ts";
import { nameInEvent } from "../../lib/event-names.svelte.ts";
import { eventName, holdingName, sideText } from "../../lib/holding-names.ts";
import { t } from "../../lib/i18n.ts";
import { money } from "../../lib/money.ts";

const OF_ORDERS: ReadonlySet<string> = new Set(["order_filled", "orders_ended"]);

export type Notification = Schemas["Notification"];

/** What happened, in the page's language; the service's own text where a notification tells too little. Reactive. */
export function sentence({ type, params, text, event_id }: Notification): string {
  if (type === "operator_answer") return t("notifications.type_operator_answer");
  const name = eventName(params);
  if (!name) return text;
  if (type !== "position_settled") return t(`notifications.type_${type}`, { name });
  const { token_type: side, payout_kopecks: payout, pnl_kopecks: pnl } = params;
  if (!side || payout === null || pnl === null) return text;
  const market = nameInEvent(
    event_id,
    params.market_name,
    (one, pool) => one.name === params.market_name && pool.name === params.pool_name,
  );
  const outcome = holdingName(params, market);
  return t("notifications.type_position_settled", {
    name: outcome ? `${name} · ${outcome}` : name,
    side: sideText(side),
    payout: money(payout),
    pnl: money(pnl, { signed: true }),
  });
}

/** Where a notification leads. */
export function target({ type, event_id: event, comment_id: comment }: Notification): string {
  if (type === "operator_answer") return "/support";
  if (type === "position_settled") return "/portfolio?tab=closed";
  if (OF_ORDERS.has(type)) return "/portfolio?tab=orders&orders=all";
  if (event === null) return "";
  const address = `/events/${String(event)}`;
  return comment === null ? address : `${address}?comment=${String(comment)}`;
}
