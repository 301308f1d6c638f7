import type { Schemas } from "../../api/client.ts";
import { nameInEvent } from "../../lib/event-names.svelte.ts";
import { dateTime } from "../../lib/formats.ts";
import { eventName, holdingName, sideText } from "../../lib/holding-names.ts";
import { localName, t } from "../../lib/i18n.ts";
import { money } from "../../lib/money.ts";
import { bpsText } from "../../lib/alert-limits.ts";

const OF_ORDERS: ReadonlySet<string> = new Set(["order_filled", "orders_ended"]);

export type Notification = Schemas["Notification"];

/** What happened, in the page's language; the service's own text where a notification tells too little. Reactive. */
export function sentence(one: Notification): string {
  const { type, params, text } = one;
  if (type === "operator_answer") return t("notifications.type_operator_answer");
  const name = eventName(params);
  if (!name) return text;
  if (type === "position_settled") return settled(one, name);
  if (type === "outcome_added") return added(one, name);
  return followedSentence(one, name) ?? t(`notifications.type_${type}`, { name });
}

/** What there is to say of more than a name; undefined where the notification does not have it. */
function followedSentence(one: Notification, name: string): string | undefined {
  const { type, params } = one;
  const { count, finish_at: end, tag, note, before_bps: before, after_bps: after } = params;
  if (type === "event_cancelled" && note)
    return t("notifications.type_event_cancelled_noted", { name, note });
  if (type === "event_closing" && end !== undefined)
    return t("notifications.type_event_closing_at", { name, time: dateTime(end) });
  if (type === "event_comment" && count !== undefined)
    return t("notifications.type_event_comments", { name, count });
  if (type === "tag_published" && tag !== undefined)
    return t("notifications.type_tag_published_of", { name, tag });
  if (after === undefined) return undefined;
  if (type === "event_moved" && before !== undefined)
    return t("notifications.type_event_moved_by", {
      name: withOutcome(one, name),
      before: bpsText(before),
      after: bpsText(after),
    });
  const limit = params.above_bps === undefined ? "below" : "above";
  const at = params[`${limit}_bps`];
  if (type !== "price_alert" || at === undefined) return undefined;
  return t(`notifications.type_price_alert_${limit}`, {
    name: withOutcome(one, name),
    after: bpsText(after),
    at: bpsText(at),
  });
}

/** The question and, of several, the outcome. */
function withOutcome({ params, event_id }: Notification, name: string): string {
  const { market_name: given } = params;
  const market = nameInEvent(event_id, given, (one) => one.name === given);
  const isQuestion = [params.event_name, params.pool_name, name].includes(given);
  return given && !isQuestion ? `${name} · ${market}` : name;
}

function settled({ params, text, event_id }: Notification, name: string): string {
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

/** The question, its pool where that has a name of its own, and the outcome that was taken out of Other. */
function added({ params, event_id }: Notification, name: string): string {
  const { market_name: given, market_name_ru: own } = params;
  const known = nameInEvent(
    event_id,
    localName({ name: given, name_ru: own ?? "" }),
    (one, pool) => one.name === given && pool.name === params.pool_name,
  );
  const pool = holdingName(params, "");
  return t("notifications.type_outcome_added", {
    name: pool ? `${name} · ${pool}` : name,
    outcome: known,
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
