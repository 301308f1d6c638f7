import type { Schemas } from "../../api/client.ts";
import { eventOf, nameInEvent, needEvent, needTranslations } from "../../lib/event-names.svelte.ts";
import { eventName, holdingName, sideText } from "../../lib/holding-names.ts";
import { t, type PlainKey } from "../../lib/i18n.ts";
import { basketName, needBaskets } from "./basket-names.svelte.ts";

export type Movement = Schemas["Transaction"];

/** Notes of the service's own grants. */
const GRANTS: ReadonlyMap<string, PlainKey> = new Map([
  ["Welcome", "portfolio.grant_welcome"],
  ["Invitation", "portfolio.grant_invitation"],
  ["Allowance", "portfolio.grant_allowance"],
]);

/** What a movement that a rule of the site made is called; undefined for all others. */
export function grantName({ type, note, change_kopecks: change }: Movement): string | undefined {
  const key = type === "credit" && change > 0 ? GRANTS.get(note) : undefined;
  return key && t(key);
}

/** What a movement of money was: "Bought Yes", "Credit". */
export function movementKind(one: Movement): string {
  const { type, token_type, change_kopecks: change } = one;
  const side = token_type ? sideText(token_type) : "";
  // What an order waits with was held before: a fill moves nothing of the balance.
  const isFill = one.order_id !== null && change === 0;
  switch (type) {
    case "bet":
      return t(isFill ? "portfolio.order_bought" : "portfolio.bought", { side });
    case "sale":
      return t(isFill ? "portfolio.order_sold" : "portfolio.sold", { side });
    case "basket":
      return t(change < 0 ? "portfolio.basket_bought" : "portfolio.basket_sold");
    case "order":
      return t("portfolio.held_for_order");
    case "order_return":
      return t("portfolio.order_return");
    case "split":
      return t("portfolio.split");
    case "settlement":
      return t("portfolio.settled");
    case "credit":
      return grantName(one) ?? t(change < 0 ? "portfolio.taken_back" : "portfolio.credit");
  }
}

/** What it was about: the question and the outcome, of a split the list between them; or an admin's note. Reactive. */
export function movementAbout(one: Movement): string {
  if (one.type === "credit") return grantName(one) === undefined ? one.note : "";
  if (one.type === "basket") return [eventName(one), basketName(one)].filter(Boolean).join(" · ");
  const market = nameInEvent(one.event_id, one.market_name, ({ id }) => id === one.market_id);
  const pool = poolOf(one);
  if (pool) {
    const held = { ...one, pool_name: pool.name, pool_name_ru: pool.name_ru };
    return [eventName(one), holdingName(held, market)].filter(Boolean).join(" · ");
  }
  const isYesNo = one.market_name === one.event_name;
  return [eventName(one), isYesNo ? "" : market].filter(Boolean).join(" · ");
}

/** The pool of a split, once its event is known. Reactive. */
function poolOf({ type, event_id: event, market_id: market }: Movement) {
  const pools = type === "split" && event !== null ? eventOf(event)?.pools : undefined;
  return pools?.find(({ markets }) => markets.some(({ id }) => id === market));
}

/** Asks for the names that these movements lack: those of translations, and in every language of a split's pool. */
export function needMovements(movements: readonly Movement[]): void {
  for (const { type, event_id: event } of movements)
    if (type === "split" && event !== null) void needEvent(event);
  void needBaskets(movements);
  needTranslations(
    movements.flatMap((one) => (one.market_name === one.event_name ? [] : (one.event_id ?? []))),
  );
}
