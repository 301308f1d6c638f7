// What the author of a comment held, and thought, when they wrote it.
import type { Schemas } from "../../api/client.ts";
import { percent } from "../../lib/formats.ts";
import { sideText } from "../../lib/holding-names.ts";
import { t } from "../../lib/i18n.ts";
import { marketNames } from "../../lib/market-names.ts";
import { money } from "../../lib/money.ts";

/** In the words of the slip; "" of an outcome that is newer than the page. */
export function holdsText(
  { pools, main_pool_index }: Pick<Schemas["Event"], "pools" | "main_pool_index">,
  { market_id, token_type, shares }: Schemas["AuthorHolds"],
): string {
  const pool = pools[main_pool_index];
  const market = pool?.markets.find(({ id }) => id === market_id);
  if (!pool || !market) return "";
  const side = sideText(token_type);
  const held = t("event.holds", { shares: money(shares, { as: "short" }), side });
  const name = pool.markets.length > 1 && marketNames(pool)[market.outcome_index];
  return name ? `${held} · ${name}` : held;
}

/** Of the outcome that was likeliest then; "" of one that is newer than the page. */
export function forecastText(
  { pools, main_pool_index }: Pick<Schemas["Event"], "pools" | "main_pool_index">,
  { outcome_index, probability }: NonNullable<Schemas["Comment"]["forecast"]>,
): string {
  const pool = pools[main_pool_index];
  if (!pool?.markets.some((one) => one.outcome_index === outcome_index)) return "";
  const chance = percent(probability, 0, false);
  const name = pool.markets.length > 1 ? marketNames(pool)[outcome_index] : "";
  return name ? t("event.thinks_of", { chance, name }) : t("event.thinks", { chance });
}
