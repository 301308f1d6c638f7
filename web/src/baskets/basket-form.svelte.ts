// A basket in a slip, and what follows from it. BasketSlip.svelte draws it.
import { rate } from "../lib/formats.ts";
import { t } from "../lib/i18n.ts";
import { money } from "../lib/money.ts";
import { session } from "../lib/session.svelte.ts";
import { guarded } from "../slip/estimate.ts";
import { priceGuard } from "../slip/guard.svelte.ts";
import { OrderForm } from "../slip/order-form.svelte.ts";
import { Asking } from "../slip/quote.svelte.ts";
import type { OrderRequest } from "../slip/target.ts";
import {
  bodyOf,
  estimate,
  sumOf,
  type BasketBody,
  type BasketFigures,
  type Curve,
  type Wanted,
} from "./basket.ts";
import { quoteBasket, type BasketQuote } from "./service.ts";

/** The pool that a basket trades. Its owner keeps it live. */
export interface BasketTarget extends Curve {
  eventId: number;
  poolId: number;
  /** By outcome_index. */
  marketIds: readonly number[];
  /** Why nothing can be traded; null while it can. */
  halted: string | null;
  /** Of a list: an order says how many outcomes its sender knows. */
  isList?: boolean;
}

export class BasketForm extends OrderForm {
  readonly quoting = new Asking<Wanted, BasketQuote>((wanted, signal) =>
    quoteBasket(this.#bodyOf(wanted), signal),
  );
  readonly #target: () => BasketTarget;
  readonly #wanted: () => Wanted | null;

  /** `wanted`: null while what is entered is no order. */
  constructor(target: () => BasketTarget, wanted: () => Wanted | null) {
    super();
    this.#target = target;
    this.#wanted = wanted;
  }

  get target(): BasketTarget {
    return this.#target();
  }

  get wanted(): Wanted | null {
    return this.#target().halted === null ? this.#wanted() : null;
  }

  follow(): void {
    const { probabilities } = this.#target();
    // Only whether they moved counts.
    const price = probabilities.reduce((sum, one, index) => sum + one * (index + 1), 0);
    this.quoting.follow(this.wanted, price);
  }

  readonly figures = $derived.by((): BasketFigures | null => {
    const { wanted } = this;
    if (!wanted) return null;
    const target = this.#target();
    const { quote } = this.quoting;
    if (!quote) return estimate(wanted, target);
    const changes = target.marketIds.map(
      (id) => quote.legs.find(({ market_id }) => market_id === id)?.shares ?? 0,
    );
    const shares = wanted.kind === "stake" ? (changes[wanted.targets[0] ?? 0] ?? 0) : null;
    return {
      isEstimate: false,
      shares,
      changes,
      payoutKopecks: quote.payout_kopecks,
      costKopecks: quote.cost_kopecks,
      feeKopecks: quote.fee_kopecks,
      netKopecks: quote.net_kopecks,
      before: quote.probabilities_before,
      after: quote.probabilities_after,
    };
  });

  /** The least shares of a stake, the least net of changes, that the order accepts; null before it is quoted. */
  get least(): number | null {
    const { figures } = this;
    if (!figures || figures.isEstimate) return null;
    if (figures.shares !== null) return guarded(figures.shares, priceGuard.percent);
    const { netKopecks } = figures;
    return netKopecks - Math.ceil((Math.abs(netKopecks) * priceGuard.percent) / 100);
  }

  /** What the order takes from the balance; 0 where it brings more. */
  get spentKopecks(): number {
    return Math.max(0, -(this.figures?.netKopecks ?? 0));
  }

  get entered(): string {
    return JSON.stringify(this.wanted);
  }

  get guardText(): string {
    const { least, figures } = this;
    if (!figures) return "";
    if (least === null) return t("slip.quoting");
    const about = { percent: rate(priceGuard.percent), amount: money(Math.abs(least)) };
    if (figures.shares !== null) return t("slip.guard", about);
    return t(least < 0 ? "baskets.guard_paid" : "baskets.guard_got", about);
  }

  /** The chance of what a stake is on, given its condition; of changes that of the outcome moved most. */
  readonly moves = $derived.by((): { before: number; after: number } | null => {
    const { figures, wanted } = this;
    if (!figures || !wanted) return null;
    const { before, after } = figures;
    if (wanted.kind === "stake") {
      const { targets, given } = wanted;
      const chance = (prices: readonly number[]) =>
        sumOf(prices, targets) / (given ? sumOf(prices, given) : 1);
      return { before: chance(before), after: chance(after) };
    }
    const move = (index: number) => Math.abs((after[index] ?? 0) - (before[index] ?? 0));
    const most = before.reduce((best, _, index) => (move(index) > move(best) ? index : best), 0);
    return { before: before[most] ?? 0, after: after[most] ?? 0 };
  });

  #bodyOf(wanted: Wanted): BasketBody {
    const { marketIds, isList } = this.#target();
    return { ...bodyOf(wanted, marketIds), ...(isList ? { outcomes: marketIds.length } : {}) };
  }

  /** The order that would be sent; null while there is none. */
  get request(): OrderRequest | null {
    const { wanted, least } = this;
    if (!wanted || least === null || !session.user || this.isOverBalance) return null;
    const { poolId } = this.target;
    const body = this.#bodyOf(wanted);
    const guard = "market_ids" in body ? { min_shares: least } : { min_net_kopecks: least };
    return { action: "basket", poolId, body: { ...body, ...guard } };
  }
}

/** Whether an order is a basket of that pool. */
export function isBasketOf(request: OrderRequest, poolId: number): boolean {
  return request.action === "basket" && request.poolId === poolId;
}
