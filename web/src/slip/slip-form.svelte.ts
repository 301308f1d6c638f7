// What the slip holds and what follows from it. Slip.svelte draws it.
import { rate } from "../lib/formats.ts";
import { t } from "../lib/i18n.ts";
import { money } from "../lib/money.ts";
import { session } from "../lib/session.svelte.ts";
import { estimateBuy, estimateSale, guarded } from "./estimate.ts";
import { priceGuard } from "./guard.svelte.ts";
import { OrderForm } from "./order-form.svelte.ts";
import { Quoting, type Question } from "./quote.svelte.ts";
import {
  knownOutcomes,
  type Action,
  type OrderRequest,
  type Side,
  type SlipTarget,
} from "./target.ts";

/** Numbers of the order as quoted, or, until then, as estimated. */
export interface Figures {
  isEstimate: boolean;
  shares: number;
  amountKopecks: number;
  feeKopecks: number;
  /** Chance of YES. */
  before: number;
  after: number;
}

export class SlipForm extends OrderForm {
  action = $state<Action>("buy");
  side = $state<Side>("YES");
  /** Kopecks of a buy, shares of a sale; null while what is typed is no amount. */
  size = $state<number | null>(null);
  readonly quoting = new Quoting();
  readonly #target: () => SlipTarget;

  constructor(target: () => SlipTarget) {
    super();
    this.#target = target;
  }

  get entered(): string {
    return [this.#target().marketId, this.action, this.side, this.size].join();
  }

  follow(): void {
    this.quoting.follow(this.question, this.#target().probability);
  }

  /** Shares that may be sold: others are on sale at a price already. */
  get held(): number {
    const found = this.#target().held[this.side];
    return found ? found.shares - found.reserved : 0;
  }

  get sidePrice(): number {
    const { probability } = this.#target();
    return this.side === "YES" ? probability : 1 - probability;
  }

  get question(): Question | null {
    const { marketId, halted } = this.#target();
    if (halted !== null || !this.size) return null;
    if (this.isOverHeld) return null;
    const about = { action: this.action, marketId, side: this.side, size: this.size };
    return { ...about, ...knownOutcomes(this.#target()) };
  }

  get figures(): Figures | null {
    const { size } = this;
    if (!size) return null;
    const { probability, b, margin } = this.#target();
    const quote = this.quoting.quote;
    if (quote) {
      return {
        isEstimate: false,
        shares: quote.shares,
        amountKopecks: quote.amount_kopecks,
        feeKopecks: quote.fee_kopecks,
        before: quote.probability_before,
        after: quote.probability_after,
      };
    }
    const price = { price: this.sidePrice, b, margin };
    const made = this.action === "buy" ? estimateBuy(size, price) : estimateSale(size, price);
    const after = this.side === "YES" ? made.priceAfter : 1 - made.priceAfter;
    return { isEstimate: true, ...made, before: probability, after };
  }

  /** The least shares or payout that the order accepts; null before the service has quoted it. */
  get least(): number | null {
    const { quote } = this.quoting;
    if (!quote) return null;
    return guarded(this.action === "buy" ? quote.shares : quote.amount_kopecks, priceGuard.percent);
  }

  get moves(): Figures | null {
    return this.figures;
  }

  get spentKopecks(): number {
    return this.action === "buy" ? (this.size ?? 0) : 0;
  }

  override get needsMoney(): boolean {
    return this.action === "buy";
  }

  get isOverHeld(): boolean {
    return this.action === "sell" && this.size !== null && this.size > this.held;
  }

  override get problem(): string {
    return this.isOverHeld ? t("slip.over_held") : super.problem;
  }

  get guardText(): string {
    const { figures, least } = this;
    if (!figures || figures.shares <= 0) return "";
    if (least === null) return t("slip.quoting");
    const about = { percent: rate(priceGuard.percent), amount: money(least) };
    return t(this.action === "sell" ? "slip.guard_sale" : "slip.guard", about);
  }

  /** The order that would be sent; null while there is none. */
  get request(): OrderRequest | null {
    const { size, least } = this;
    if (!size || least === null || !session.user || this.isOverHeld || this.isOverBalance)
      return null;
    const target = this.#target();
    const order = { market_id: target.marketId, token_type: this.side, ...knownOutcomes(target) };
    return this.action === "buy"
      ? { action: "buy", body: { ...order, amount_kopecks: size, min_shares: least } }
      : { action: "sell", body: { ...order, shares: size, min_payout_kopecks: least } };
  }

  choose(action: Action, side: Side): void {
    if (action === this.action && side === this.side) return;
    if (action !== this.action) this.size = null;
    this.action = action;
    this.side = side;
    if (action === "sell") this.size = this.held || null;
  }
}
