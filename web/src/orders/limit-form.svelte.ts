// What an order at a price holds and what follows from it. LimitSlip.svelte draws it.
import type { Schemas } from "../api/client.ts";
import { t } from "../lib/i18n.ts";
import { money, oneUnit } from "../lib/money.ts";
import { session } from "../lib/session.svelte.ts";
import { OrderForm } from "../slip/order-form.svelte.ts";
import { Quoting, type Question } from "../slip/quote.svelte.ts";
import {
  knownOutcomes,
  type Action,
  type OrderRequest,
  type Side,
  type SlipTarget,
} from "../slip/target.ts";
import { LEAST_SHARES, LOT, offerTo, worthOf, type Offer, type Terms } from "./offer.ts";
import { expiryOf, type Until } from "./until.ts";

interface Source {
  target: () => SlipTarget;
  action: () => Action;
  side: () => Side;
  book: () => Schemas["Orderbook"] | undefined;
}

export class LimitForm extends OrderForm {
  percent = $state<number | null>(null);
  /** Shares are what they pay if right, in kopecks. */
  shares = $state<number | null>(null);
  until = $state<Until>("cancelled");
  /** As a field of date and time has it, in the zone of the one who types it. */
  date = $state("");
  readonly quoting = new Quoting();
  readonly #source: Source;

  readonly moves = null;
  readonly guardText = "";

  constructor(source: Source) {
    super();
    this.#source = source;
  }

  get entered(): string {
    const { percent, shares } = this;
    const { target, action, side } = this.#source;
    return [target().marketId, action(), side(), percent, shares].join();
  }

  follow(): void {
    this.quoting.follow(this.question, this.#source.target().probability);
  }

  get isSale(): boolean {
    return this.#source.action() === "sell";
  }

  /** Of the side, by the curve. */
  get price(): number {
    const { probability } = this.#source.target();
    return this.#source.side() === "YES" ? probability : 1 - probability;
  }

  /** Shares that may be sold. */
  get held(): number {
    const found = this.#source.target().held[this.#source.side()];
    return found ? found.shares - found.reserved : 0;
  }

  /** The order as far as it is entered well. */
  get terms(): Terms | null {
    const { percent, shares } = this;
    if (percent === null || shares === null || this.shareProblem) return null;
    return { action: this.#source.action(), side: this.#source.side(), percent, shares };
  }

  get shareProblem(): string {
    const { shares } = this;
    if (shares === null) return "";
    if (shares % LOT !== 0) return t("orders.whole_units", { one: oneUnit() });
    if (shares < LEAST_SHARES)
      return t("orders.least", { amount: money(LEAST_SHARES, { as: "short" }) });
    return this.isSale && shares > this.held ? t("slip.over_held") : "";
  }

  override get needsMoney(): boolean {
    return false;
  }

  override get problem(): string {
    if (this.shareProblem) return this.shareProblem;
    if (this.until === "date" && this.date !== "" && this.expiresAt === null)
      return t("orders.date_over");
    return this.isOverBalance ? t("slip.over_balance") : "";
  }

  /** What fills as it arrives, by the book. */
  get atOnce(): Offer {
    const { terms } = this;
    const book = this.#source.book();
    return terms && book ? offerTo(book, terms) : { shares: 0, kopecks: 0 };
  }

  get isWhole(): boolean {
    return this.terms !== null && this.atOnce.shares >= this.terms.shares;
  }

  /** What is to be quoted: the part that fills at once, as a bet or sale of its own. */
  get question(): Question | null {
    const { shares, kopecks } = this.atOnce;
    const { halted, marketId, margin } = this.#source.target();
    if (shares === 0 || halted !== null) return null;
    const [action, side] = [this.#source.action(), this.#source.side()];
    const size = action === "buy" ? Math.ceil(kopecks / (1 - margin)) : shares;
    return { action, marketId, side, size, ...knownOutcomes(this.#source.target()) };
  }

  /** What the part at once pays, fee included, or brings: as quoted, before that by the book. */
  get atOnceKopecks(): number {
    const { shares, kopecks } = this.atOnce;
    const { quote } = this.quoting;
    if (quote && quote.shares > 0) return Math.ceil((quote.amount_kopecks * shares) / quote.shares);
    return this.isSale ? kopecks : Math.ceil(kopecks / (1 - this.#source.target().margin));
  }

  /** The fee in it. */
  get feeKopecks(): number {
    return this.isSale ? 0 : Math.ceil(this.atOnceKopecks * this.#source.target().margin);
  }

  get waitingShares(): number {
    return this.terms ? this.terms.shares - this.atOnce.shares : 0;
  }

  get heldKopecks(): number {
    const { terms } = this;
    return terms && !this.isSale
      ? worthOf({ percent: terms.percent, shares: this.waitingShares })
      : 0;
  }

  /** What the balance must cover. */
  get spentKopecks(): number {
    return this.isSale ? 0 : this.atOnceKopecks + this.heldKopecks;
  }

  /** ISO 8601; null for never, and for a time that is over. */
  get expiresAt(): string | null {
    return expiryOf(this.until, this.date);
  }

  /** The order that would be sent; null while there is none. */
  get request(): OrderRequest | null {
    const { terms, expiresAt } = this;
    if (!terms || this.problem || !session.user) return null;
    if (this.until !== "cancelled" && expiresAt === null) return null;
    return {
      action: "limit",
      body: {
        market_id: this.#source.target().marketId,
        token_type: terms.side,
        action: terms.action,
        shares: terms.shares,
        price_bps: terms.percent * 100,
        time_in_force: "gtc",
        post_only: false,
        expires_at: expiresAt,
        ...knownOutcomes(this.#source.target()),
      },
    };
  }

  /** Another side or action: the price that was chosen, else one that would wait, and all that may be sold. */
  begin(chosen: number | null): void {
    const percent = Math.round(this.price * 100) + (this.isSale ? 1 : -1);
    this.percent = chosen ?? Math.min(99, Math.max(1, percent));
    this.shares = this.isSale ? this.held - (this.held % LOT) || null : null;
  }
}
