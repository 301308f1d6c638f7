// Names of outcomes in the page's language. The Russian ones stand in a pool's metadata, by convention; those of ranges
// and of questions asked together are written here.
import { language as ofPage, t, type Language } from "./i18n.ts";
import { betName, jointNames, jointOf } from "./joint.ts";
import { axisOf, rangeNames, rangeText } from "./shapes.ts";

export interface NamedPool {
  markets: { name: string; name_ru?: string; outcome_index: number }[];
  metadata: Record<string, unknown>;
  shape?: object | null;
  /** Of a list: the outcome_index of Other. */
  other?: number | null;
}

/** The names of a pool's outcomes, by outcome_index. */
export function marketNames(pool: NamedPool, language: Language = ofPage): string[] {
  const names: string[] = [];
  const own: string[] = [];
  for (const { name, name_ru, outcome_index } of pool.markets) {
    names[outcome_index] = name;
    own[outcome_index] = name_ru ?? "";
  }
  const [axis, questions] = [axisOf(pool), jointOf(pool)];
  const russian = pool.metadata.market_names_ru;
  if (language === "ru" && own.some(Boolean)) return names.map((name, at) => own[at] || name);
  if (language !== "ru" || !Array.isArray(russian)) {
    if (questions) return jointNames(questions, names);
    return axis ? rangeNames(axis, names) : names;
  }
  return names.map((name, index) => {
    const found: unknown = russian[index];
    return typeof found === "string" && found !== "" ? found : name;
  });
}

interface TradedPool extends NamedPool {
  markets: { id: number; name: string; outcome_index: number }[];
}

interface Leg {
  market_id: number;
  shares: number;
}

/**
 * What a trade of several outcomes was of: neighbouring ranges of a number or a date as one, "B, if A" of questions asked
 * together, "Any but Other" of a list, else all their names. `marketId`: one of those that it was on.
 */
export function legsName(pool: TradedPool, legs: readonly Leg[], marketId: number): string {
  const names = marketNames(pool);
  const indexesOf = (some: readonly Leg[]) =>
    pool.markets
      .filter(({ id }) => some.some(({ market_id }) => market_id === id))
      .map(({ outcome_index }) => outcome_index)
      .sort((one, other) => one - other);
  const questions = jointOf(pool);
  if (questions) {
    const shares = legs.find(({ market_id }) => market_id === marketId)?.shares;
    const outside = legs.filter((leg) => leg.shares !== shares);
    const isBet = outside.every((leg) => leg.shares === outside[0]?.shares);
    const bought = legs.filter((leg) => leg.shares === shares);
    const name = isBet ? betName(questions, indexesOf(bought), indexesOf(outside)) : "";
    if (name) return name;
  }
  const indexes = indexesOf(legs);
  const { other } = pool;
  if (typeof other === "number" && indexes.length === names.length - 1 && !indexes.includes(other))
    return t("common.any_but", { name: names[other] ?? "" });
  const [low = 0, high = 0] = [indexes[0], indexes.at(-1)];
  const axis = axisOf(pool);
  const areNeighbours = high - low + 1 === indexes.length && indexes.length < names.length;
  if (axis && areNeighbours && indexes.length > 1) return rangeText(axis, low, high + 1);
  return indexes.map((index) => names[index] ?? "").join(", ");
}
