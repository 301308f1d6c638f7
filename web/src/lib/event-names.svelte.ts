// Names of events and outcomes that only ids are known of, or only English names.
import { SvelteMap } from "svelte/reactivity";
import { get, type Schemas } from "../api/client.ts";
import { language, localName, t } from "./i18n.ts";
import { marketNames } from "./market-names.ts";

type Pool = Schemas["Pool"];
type Market = Schemas["Market"];

const MOST = 200;
const events = new SvelteMap<number, Schemas["Event"] | null>();

/** An event by its id once it is known: asked for at most once. Reactive. */
export function eventOf(id: number): Schemas["Event"] | null {
  return events.get(id) ?? null;
}

/** Asks for an event whose names will be shown. */
export async function needEvent(id: number): Promise<void> {
  if (events.has(id)) return;
  if (events.size >= MOST) events.delete(events.keys().next().value ?? 0);
  events.set(id, null);
  try {
    events.set(id, await get("/api/v1/events/{event_id}", { path: { event_id: id } }));
  } catch {
    events.delete(id);
  }
}

/** Asks for the events of a list that names their outcomes in English, where the page is in another language. */
export function needTranslations(ids: Iterable<number>): void {
  if (language !== "en") for (const id of ids) void needEvent(id);
}

/** What an outcome is called here; as it was given until its event is known. Of a yes/no pool that is the pool. Reactive. */
export function nameInEvent(
  eventId: number | null,
  given: string,
  isIt: (market: Market, pool: Pool) => boolean,
): string {
  const event = eventId === null ? null : eventOf(eventId);
  for (const pool of event?.pools ?? []) {
    const market = pool.markets.find((one) => isIt(one, pool));
    if (market) return localMarket(pool, market);
  }
  return given;
}

/** How a pool of an event ended, by its English name ("": its only one); "" for no one winner. Reactive. */
export function resultInEvent(eventId: number, poolName: string): string {
  const pools = eventOf(eventId)?.pools ?? [];
  const pool = poolName ? pools.find(({ name }) => name === poolName) : pools[0];
  if (!pool || (!poolName && pools.length > 1)) return "";
  const { markets, won_side: won } = pool;
  if (won === null || won < 0) return "";
  if (markets.length === 1) return t(won === 0 ? "common.yes" : "common.no");
  const winner = markets.find(({ outcome_index }) => outcome_index === won);
  return winner ? localMarket(pool, winner) : "";
}

function localMarket(pool: Pool, market: Market): string {
  if (pool.markets.length === 1) return localName(pool) || market.name;
  return marketNames(pool)[market.outcome_index] ?? market.name;
}
