// How far a trade moved its market. Of several outcomes at once that would be one of them: there it is what they cost.
import type { Trade } from "../api/live.ts";
import { percent, price } from "./formats.ts";
import { t } from "./i18n.ts";
import { money } from "./money.ts";

type Moved = Pick<
  Trade,
  "legs" | "amount_kopecks" | "shares" | "avg_price" | "probability_before" | "probability_after"
>;

/** "48.0% to 49.5%"; of a bet on a range its price, of a curve the most that it pays. */
export function movedText(trade: Moved): string {
  const { legs } = trade;
  if (!legs || legs.length < 2)
    return t("common.moved", {
      before: percent(trade.probability_before, 1),
      after: percent(trade.probability_after, 1),
    });
  // A bet pays the same wherever it wins, so its price is that of all of it; a curve's is one leg's.
  const paid = trade.amount_kopecks / trade.shares;
  if (Math.abs(trade.avg_price / 10_000 - paid) < 0.0002)
    return t("common.at_price", { price: price(paid) });
  const most = Math.max(...legs.map(({ shares }) => Math.abs(shares)));
  return t("common.pays_up_to", { amount: money(most, { as: "short" }) });
}
