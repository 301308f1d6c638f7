// Price alerts name markets by their ids: what each is about.
import { get, type Schemas } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import { localName } from "../../lib/i18n.ts";
import { marketNames } from "../../lib/market-names.ts";
import type { PriceAlert } from "../../lib/alert-limits.ts";

/** Of one page of cards. */
const MOST = 100;

export interface NamedAlert {
  alert: PriceAlert;
  /** The outcome and its question, or the question of a yes/no pool. */
  name: string;
  /** Known of what one follows alone: no answer leads from a market to its event. */
  eventId: number | null;
  probability: number;
}

export async function readAlerts(alerts: readonly PriceAlert[]): Promise<NamedAlert[]> {
  const markets = await Promise.all(alerts.map(readMarket));
  const ids = [...new Set(markets.flatMap((market) => market?.pool_id ?? []))];
  if (ids.length === 0) return [];
  const query = { ids: ids.join() };
  const [pools, events] = await Promise.all([
    get("/api/v1/pools/batch", { query }),
    followedEvents(),
  ]);
  return alerts.flatMap((alert, index) => {
    const market = markets[index];
    const pool = pools.find(({ id }) => id === market?.pool_id);
    return market && pool ? [named(alert, market, pool, events.get(pool.id))] : [];
  });
}

/** The events that one follows, the newest ones, by their main pools. */
async function followedEvents(): Promise<Map<number, Schemas["Card"]>> {
  const query = { following: "true" as const, status: "all" as const, sort: "new" as const };
  const params = { query: { ...query, limit: MOST } };
  const { cards } = await get("/api/v1/cards", params);
  return new Map(cards.map((card) => [card.pool.pool_id, card]));
}

/** Null for what has gone meanwhile. */
async function readMarket({ market_id }: PriceAlert): Promise<Schemas["Market"] | null> {
  try {
    const params = { path: { market_id } };
    return await get("/api/v1/markets/{market_id}", params);
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === 404) return null;
    throw thrown;
  }
}

function named(
  alert: PriceAlert,
  market: Schemas["Market"],
  pool: Schemas["Pool"],
  event: Schemas["Card"] | undefined,
): NamedAlert {
  const question = localName(event ?? pool) || market.name;
  const outcome =
    pool.markets.length > 1 ? (marketNames(pool)[market.outcome_index] ?? market.name) : "";
  return {
    alert,
    name: [outcome, question].filter(Boolean).join(" · "),
    eventId: event?.event_id ?? null,
    probability: market.yes_probability,
  };
}
