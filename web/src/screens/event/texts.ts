// Russian names and rules of a pool stand in its metadata, by convention.
import { localName, type Language } from "../../lib/i18n.ts";

interface PoolTexts {
  rules: string;
  markets: { name: string; outcome_index: number }[];
  metadata: Record<string, unknown>;
}

/** The names of the outcomes, by outcome_index. */
export function localList(pool: PoolTexts, language: Language): string[] {
  const names: string[] = [];
  for (const { name, outcome_index } of pool.markets) names[outcome_index] = name;
  const russian = pool.metadata.market_names_ru;
  if (language !== "ru" || !Array.isArray(russian)) return names;
  return names.map((name, index) => {
    const found: unknown = russian[index];
    return typeof found === "string" && found !== "" ? found : name;
  });
}

export function localRules(pool: PoolTexts, language: Language): string {
  const russian = pool.metadata.rules_ru;
  return language === "ru" && typeof russian === "string" && russian !== "" ? russian : pool.rules;
}

interface EventPools {
  pools: { id: number; name: string; name_ru: string }[];
  main_pool_index: number;
}

/** An event's pools, the main one first. */
export function poolTabs(event: EventPools): { value: string; text: string }[] {
  const main = event.pools[event.main_pool_index];
  const others = event.pools.filter((pool) => pool !== main);
  return [...(main ? [main] : []), ...others].map((pool) => ({
    value: String(pool.id),
    text: localName(pool),
  }));
}
