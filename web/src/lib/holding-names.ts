// How positions, movements and notifications are called in lists.
import { localName, t } from "./i18n.ts";

/** "Yes" or "No" in the page's language. */
export function sideText(side: "YES" | "NO"): string {
  return t(side === "YES" ? "common.yes" : "common.no");
}

interface Held {
  event_name: string;
  event_name_ru: string;
  pool_name: string;
  pool_name_ru: string;
  market_name: string;
}

/** The event's name in the page's language. */
export function eventName(held: Pick<Held, "event_name" | "event_name_ru">): string {
  return localName({ name: held.event_name, name_ru: held.event_name_ru });
}

/**
 * What of its event a position is in: the pool of several, and the outcome, `market` in the page's language. "" where
 * they say no more than the question: a yes/no market is named after it.
 */
export function holdingName(held: Held, market = held.market_name): string {
  const pool = localName({ name: held.pool_name, name_ru: held.pool_name_ru });
  const isSame = held.pool_name === held.event_name || pool === eventName(held);
  const isYesNo = held.market_name === held.pool_name || held.market_name === held.event_name;
  return [isSame ? "" : pool, isYesNo ? "" : market].filter(Boolean).join(" · ");
}
