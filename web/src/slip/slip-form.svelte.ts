// What the slip holds and what follows from it. Slip.svelte draws it.
import { session } from "../lib/session.svelte.ts";
import { estimateBuy, estimateSale, guarded } from "./estimate.ts";
import { priceGuard } from "./guard.svelte.ts";
import { Quoting, type Question } from "./quote.svelte.ts";
import {
  knownOutcomes,
  type Action,
  type OrderRequest,
  type Side,
  type SlipTarget,
} from "./target.ts";

/** Moving the chance by this much, or staking over half of the balance, asks for a second tap. */
const LARGE_MOVE = 0.1;

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

export class SlipForm {
  action = $state<Action>("buy");
  side = $state<Side>("YES");
  /** Kopecks of a buy, shares of a sale; null while what is typed is no amount. */
  size = $state<number | null>(null);
  /** Whether the second tap is asked for. */
  confirming = $state(false);
  readonly quoting = new Quoting();
  readonly #target: () => SlipTarget;

  constructor(target: () => SlipTarget) {
    this.#target = target;
  }

  /** Shares that may be sold: others are on sale at a price already. */
  get held(): number {
    const found = this.#target().held[this.side];
    return found ? found.shares - found.reserved : 0;
  }

  /** The most that can be entered; null where nobody is signed in. */
  get most(): number | null {
    return this.action === "sell" ? this.held : (session.user?.balance_kopecks ?? null);
  }

  get sidePrice(): number {
    const { probability } = this.#target();
    return this.side === "YES" ? probability : 1 - probability;
  }

  get question(): Question | null {
    const { marketId, halted } = this.#target();
    if (halted !== null || !this.size) return null;
    if (this.action === "sell" && this.size > this.held) return null;
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

  get isLarge(): boolean {
    const { figures } = this;
    if (!figures) return false;
    const isMove = Math.abs(figures.after - figures.before) > LARGE_MOVE;
    const balance = session.user?.balance_kopecks ?? 0;
    return isMove || (this.action === "buy" && figures.amountKopecks * 2 > balance);
  }

  /** The order that would be sent; null while there is none. */
  get request(): OrderRequest | null {
    const { size, least } = this;
    if (!size || least === null || this.most === null || size > this.most) return null;
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
    this.confirming = false;
  }

  setSize(size: number | null): void {
    this.size = size;
    this.confirming = false;
  }
}
