// The Russian rules of a pool stand in its metadata, by convention.
import type { Schemas } from "../../api/client.ts";
import { localName, type Language } from "../../lib/i18n.ts";
import { legsName, marketNames } from "../../lib/market-names.ts";
import { otherLast } from "../../lib/outcomes.ts";

interface PoolTexts {
  rules: string;
  metadata: Record<string, unknown>;
}

export function localRules(pool: PoolTexts, language: Language): string {
  const russian = pool.metadata.rules_ru;
  return language === "ru" && typeof russian === "string" && russian !== "" ? russian : pool.rules;
}

interface EventPools<Pool> {
  pools: Pool[];
  main_pool_index: number;
}

/** An event's pools, the main one first. */
function inOrder<Pool>({ pools, main_pool_index }: EventPools<Pool>): Pool[] {
  const main = pools[main_pool_index];
  return main ? [main, ...pools.filter((pool) => pool !== main)] : pools;
}

export function poolTabs(
  event: EventPools<{ id: number; name: string; name_ru: string }>,
): { value: string; text: string }[] {
  return inOrder(event).map((pool) => ({ value: String(pool.id), text: localName(pool) }));
}

type Pool = Pick<Schemas["Pool"], "name" | "name_ru" | "markets" | "metadata" | "other">;

export interface OutcomeGroup {
  name: string;
  outcomes: { marketId: number; name: string }[];
}

/** The outcomes by pool, the main one first; of a list Other is last. The one market of a yes/no pool is called as the question is. */
export function outcomeGroups(event: EventPools<Pool>): OutcomeGroup[] {
  return inOrder(event).map((pool) => {
    const names = marketNames(pool);
    const question = localName(pool);
    const markets = otherLast(pool.markets, ({ outcome_index }) => outcome_index === pool.other);
    const outcomes = markets.map(({ id, name, outcome_index }) => ({
      marketId: id,
      name: markets.length === 1 ? question : (names[outcome_index] ?? name),
    }));
    return { name: question, outcomes };
  });
}

/** What a trade in each market was about: the outcome, of several pools after its question; "" where there is only one. */
export function marketLabels(event: EventPools<Pool>): Map<number, string> {
  const labels = new Map<number, string>();
  for (const { name, outcomes } of outcomeGroups(event)) {
    const question = event.pools.length > 1 ? name : "";
    for (const one of outcomes)
      labels.set(
        one.marketId,
        [question, outcomes.length > 1 ? one.name : ""].filter(Boolean).join(": "),
      );
  }
  return labels;
}

type LegsPool = Parameters<typeof legsName>[0] & { id: number };

/** What a trade was about: as marketLabels() has it, of a basket all of its outcomes. */
export function tradeLabel(
  event: EventPools<Pool & LegsPool>,
  labels: Map<number, string>,
  { pool_id, market_id, legs }: Pick<Schemas["Trade"], "pool_id" | "market_id" | "legs">,
): string {
  const pool = event.pools.find(({ id }) => id === pool_id);
  if (!pool || !legs || legs.length < 2) return labels.get(market_id) ?? "";
  const question = event.pools.length > 1 ? `${localName(pool)}: ` : "";
  return question + legsName(pool, legs, market_id);
}
