// Names of outcomes in the page's language. The Russian ones stand in a pool's metadata, by convention.
import { language as ofPage, type Language } from "./i18n.ts";
import { shapeNames, shapeOf } from "./shapes.ts";

export interface NamedPool {
  markets: { name: string; outcome_index: number }[];
  metadata: Record<string, unknown>;
  shape?: unknown;
}

/** Whether the outcomes are named by the service, in English, since nobody sent names. */
export function hasGivenNames({ shape, metadata }: Omit<NamedPool, "markets">): boolean {
  return Boolean(shape) && metadata.market_names === undefined;
}

/** The names of a pool's outcomes, by outcome_index. */
export function marketNames(pool: NamedPool, language: Language = ofPage): string[] {
  const names: string[] = [];
  for (const { name, outcome_index } of pool.markets) names[outcome_index] = name;
  if (hasGivenNames(pool)) return shapeNames(shapeOf(pool), language) ?? names;
  const russian = pool.metadata.market_names_ru;
  if (language !== "ru" || !Array.isArray(russian)) return names;
  return names.map((name, index) => {
    const found: unknown = russian[index];
    return typeof found === "string" && found !== "" ? found : name;
  });
}
