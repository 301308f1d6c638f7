import type { Schemas } from "../../api/client.ts";
import { bpsText } from "../../lib/alert-limits.ts";
import { nameInEvent } from "../../lib/event-names.svelte.ts";
import { eventName, holdingName, sideText } from "../../lib/holding-names.ts";
import { localName, t } from "../../lib/i18n.ts";
import { money } from "../../lib/money.ts";
import { KINDS, spoken } from "../../lib/notification-kinds.ts";
import type { Arguments as Messages } from "../../messages/types.d.ts";

export type Notification = Schemas["Notification"];

type Every<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  every: infer All,
) => void
  ? All
  : never;
/** What the texts of all kinds take. */
type Arguments = Every<NonNullable<Messages[`notices.listed_${Notification["type"]}`]>>;

/** What happened, in the page's language; the service's own text where a notification tells too little. Reactive. */
export function sentence(one: Notification): string {
  const { type, params, text, event_id } = one;
  const isKnown = type in KINDS && (event_id === null || eventName(params) !== "");
  const all: Arguments = argumentsOf(one);
  return isKnown ? t(`notices.listed_${type}`, all) : text;
}

function argumentsOf({ event_id, params }: Notification) {
  const { market_name: given, market_name_ru: own, pool_name: pool, token_type: side } = params;
  const name = eventName(params);
  const outcome = nameInEvent(
    event_id,
    localName({ name: given, name_ru: own ?? "" }),
    (one, { name: its }) => one.name === given && (!pool || its === pool),
  );
  const within = (part: string) => (part ? `${name} · ${part}` : name);
  return {
    ...spoken(params),
    name,
    // The question, its pool where that has a name of its own, and the outcome.
    holding: within(holdingName(params, outcome)),
    pool: within(holdingName(params, "")),
    outcome,
    side: side ? sideText(side) : "",
    pnl: money(params.pnl_kopecks ?? 0, { signed: true }),
    noted: params.note ? "yes" : "no",
    limit: params.above_bps === undefined ? "below" : "above",
    at: bpsText(params.above_bps ?? params.below_bps ?? 0),
  };
}

/** Where a notification leads. */
export function target({ type, event_id: event, comment_id: comment }: Notification): string {
  const link = KINDS[type]?.link ?? "";
  if (link || event === null) return link;
  const address = `/events/${String(event)}`;
  return comment === null ? address : `${address}?comment=${String(comment)}`;
}
