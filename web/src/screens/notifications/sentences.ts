import type { Schemas } from "../../api/client.ts";
import { localName, t } from "../../lib/i18n.ts";
import { money } from "../../lib/money.ts";
import { outcomeName, sideText } from "../../lib/holding-names.ts";

export type Notification = Schemas["Notification"];

/** What happened, in the page's language; the service's own text where a notification tells too little. */
export function sentence({ type, params, text }: Notification): string {
  if (type === "operator_answer") return t("notifications.operator_answer");
  const name = localName({ name: params.event_name, name_ru: params.event_name_ru });
  if (!name) return text;
  if (type !== "position_settled") return t(`notifications.${type}`, { name });
  const { token_type: side, payout_kopecks: payout, pnl_kopecks: pnl } = params;
  if (!side || payout === null || pnl === null) return text;
  const outcome = outcomeName(params.market_name, params.event_name, params.pool_name);
  return t("notifications.position_settled", {
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
  if (event === null) return "";
  const address = `/events/${String(event)}`;
  return comment === null ? address : `${address}?comment=${String(comment)}`;
}
