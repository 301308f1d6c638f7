// The ranges of a price between its thresholds, in words.
import { count } from "../../lib/formats.ts";
import { t } from "../../lib/i18n.ts";
import { thresholdsOf, type DraftPool } from "./draft.ts";

/** One more than thresholds; [] where one is no number. */
export function priceRanges(pool: DraftPool): string[] {
  const bounds = thresholdsOf(pool);
  if (!bounds) return [];
  const texts = bounds.map((bound) => written(pool, bound));
  return [
    t("create.below", { high: texts[0] ?? "" }),
    ...texts.slice(1).map((high, index) => t("create.between", { low: texts[index] ?? "", high })),
    t("create.or_above", { low: texts.at(-1) ?? "" }),
  ];
}

function written({ relative }: DraftPool, value: number): string {
  if (relative === "times") return t("create.times_start", { factor: count(value) });
  if (relative === "none") return count(value);
  return t("create.plus_start", {
    amount: `${value < 0 ? "−" : "+"}${count(Math.abs(value))}`,
  });
}
