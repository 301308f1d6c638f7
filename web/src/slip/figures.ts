// Lines that the slips of several kinds have.
import type { Figure } from "../components/Figures.svelte";
import { percent, price, rate } from "../lib/formats.ts";
import { t } from "../lib/i18n.ts";
import { gain, money, oneUnit } from "../lib/money.ts";

/** A gain or a loss. `mark`: "≈ " before what is estimated. */
export function gainFigure(name: string, kopecks: number, mark: string): Figure {
  return {
    name,
    value: mark + money(kopecks, { signed: true }),
    look: kopecks < 0 ? "down" : "up",
  };
}

/** What a bet gains where it wins, beside what it pays and costs; also as a part of the stake. */
export function profitFigure(payout: number, stake: number, mark: string): Figure {
  const part = percent(payout / stake - 1, 0, false);
  return { ...gainFigure(t("slip.profit"), gain(payout, stake), mark), note: `(${part})` };
}

/** What a share that pays one unit costs or brings. */
export function averageFigure(kopecks: number, shares: number, mark: string): Figure {
  return {
    name: t("slip.average_price", { one: oneUnit() }),
    value: mark + price(kopecks / shares),
  };
}

/** `margin`: 0.02 is 2 %. Without one there is no fee to show. */
export function feeFigure(margin: number, kopecks: number, mark: string): Figure | false {
  return (
    margin > 0 && {
      name: t("slip.fee", { percent: rate(margin * 100) }),
      value: mark + money(kopecks),
    }
  );
}
