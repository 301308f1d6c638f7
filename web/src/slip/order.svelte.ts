// The one order under way. Its key and content stay in sessionStorage until its fate is known, so neither a lost
// answer nor a reload can make it a second order, and it is never called failed while it may have been carried out.
import { idempotencyKey } from "../api/client.ts";
import { ApiError, asApiError } from "../api/errors.ts";
import { sessionUntil } from "../api/tokens.ts";
import { now } from "../lib/clock.svelte.ts";
import { t } from "../lib/i18n.ts";
import { session } from "../lib/session.svelte.ts";
import { send, wasMade } from "./sending.ts";
import type { OrderRequest, Outcome } from "./target.ts";

const STORAGE = "order";
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

export interface SentOrder {
  key: string;
  /** Only this user's session may send it again: keys are each user's own. */
  userId: number;
  request: OrderRequest;
  eventId: number;
  /** For where the slip is not on the screen. */
  name: string;
  /** Whether an attempt was left without an answer. */
  undecided: boolean;
  /** When it was placed, Unix milliseconds of the service's clock. */
  placedAt: number;
  /** Whether its session ended after that attempt: it is looked for before it is sent once more. */
  away: boolean;
}

/** The code of an order that was not made because its session ended. It is never sent on by a sign-in. */
export const SESSION_ENDED = "session_ended";

/**
 * "sending": an attempt is under way, none was lost. "waiting": the service has too much to do, nothing was sent on.
 * "checking": an attempt got no answer; the same order is sent again. "sign-in": meanwhile the session ended, so its
 * fate is found out once the same person is back.
 */
export type OrderStep = "idle" | "sending" | "waiting" | "checking" | "sign-in";

class Orders {
  step = $state<OrderStep>("idle");
  order = $state.raw<SentOrder | null>(null);
  /** Of the last order, until the next one, dismiss() or another user: it is shown to its own alone. */
  outcome = $state.raw<Outcome | null>(null);
  /** The order that `outcome` is of. */
  decidedOrder = $state.raw<SentOrder | null>(null);
  /** Slips on the screen, which show the order themselves. */
  slips = $state(0);
  #waited: (() => void) | null = null;
  readonly #onDecided = new Set<(order: SentOrder, outcome: Outcome) => void>();

  constructor() {
    addEventListener("online", () => {
      this.#waited?.();
    });
    session.switched(() => {
      const { outcome, decidedOrder } = this;
      if (outcome && decidedOrder && !isShown(decidedOrder, outcome)) this.dismiss();
    });
  }

  /** Takes up an order that a reload interrupted. */
  resume(): void {
    const order = storedOrder();
    if (!order || this.order) return;
    this.order = { ...order, undecided: true };
    this.step = "checking";
    void this.#run();
  }

  /** Sends an order. One at a time: nothing happens while another is undecided. */
  place(request: OrderRequest, about: { eventId: number; name: string }): void {
    if (this.order || !session.user) return;
    this.outcome = null;
    this.order = {
      key: idempotencyKey(),
      userId: session.user.id,
      request,
      ...about,
      undecided: false,
      placedAt: now(),
      away: false,
    };
    this.step = "sending";
    storeOrder(this.order);
    void this.#run();
  }

  /** Takes back an order that no attempt has reached the service with: while it waits. */
  cancel(): void {
    if (this.order && !this.order.undecided && this.step !== "sending") this.#end(null);
  }

  dismiss(): void {
    this.outcome = null;
    this.decidedOrder = null;
  }

  /** Calls back when an order's fate is known. */
  decided(call: (order: SentOrder, outcome: Outcome) => void): () => void {
    this.#onDecided.add(call);
    return () => this.#onDecided.delete(call);
  }

  /** Tries again at once: the user came back, or has signed in. */
  retryNow(): void {
    this.#waited?.();
  }

  async #run(): Promise<void> {
    const key = this.order?.key;
    let wait = FIRST_WAIT_MS;
    for (; this.order && this.order.key === key; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      const { order } = this;
      const isFirst = this.step === "sending";
      // From here on the order may reach the service: it cannot be taken back.
      if (!order.undecided) this.step = "sending";
      // Since the attempt before, somebody else may have signed in, in another tab perhaps.
      if (!isFirst) await session.load();
      if (await this.#isItsUser(order)) {
        try {
          if (order.away && !(await wasMade(order))) this.#end({ refused: sessionEnded() });
          else this.#end(await send(order));
          return;
        } catch (thrown) {
          const error = asApiError(thrown);
          if (isDecided(error)) {
            this.#end({ refused: error });
            return;
          }
          this.#note(error);
          wait = Math.max(wait, error.retryAfter * 1_000);
        }
      }
      if (this.step === "sign-in" && !this.#noteAway()) return;
      await this.#pause(wait);
    }
  }

  /** What an attempt that decided nothing means for the order. */
  #note(error: ApiError): void {
    if (!this.order) return;
    if (error.undecided && !this.order.undecided) {
      this.order = { ...this.order, undecided: true };
      storeOrder(this.order);
    }
    if (error.status === 401) this.step = "sign-in";
    else if (error.status === 429 && !this.order.undecided) this.step = "waiting";
    else this.step = "checking";
  }

  /** The session of the order is over. Returns whether there is still something to find out. */
  #noteAway(): boolean {
    if (!this.order) return false;
    if (!this.order.undecided) {
      void session.load();
      this.#end({ refused: sessionEnded() });
      return false;
    }
    this.order = { ...this.order, away: true };
    storeOrder(this.order);
    return true;
  }

  /** Another user's session must not send it: it would be another order. */
  async #isItsUser(order: SentOrder): Promise<boolean> {
    if (session.user === undefined) await session.load();
    const isSignedIn = sessionUntil() !== null && session.user?.id === order.userId;
    if (isSignedIn) return true;
    // Not known who is signed in, as long as the service cannot be reached.
    this.step = session.user === undefined ? "checking" : "sign-in";
    return false;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#waited = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #end(outcome: Outcome | null): void {
    const { order } = this;
    storeOrder(null);
    this.order = null;
    this.step = "idle";
    this.#waited?.();
    this.dismiss();
    if (!order || !outcome || !isShown(order, outcome)) return;
    this.outcome = outcome;
    this.decidedOrder = order;
    if ("receipt" in outcome) session.setBalance(outcome.receipt.balanceKopecks);
    else if ("placed" in outcome) session.setBalance(outcome.placed.balance_kopecks);
    else if ("basket" in outcome) session.setBalance(outcome.basket.balance_kopecks);
    else if (outcome.refused.code === "insufficient_funds") void session.load();
    this.#onDecided.forEach((call) => {
      call(order, outcome);
    });
  }
}

export const orders = new Orders();

/** Whether who is signed in may see it. That a session ended, which says no sum, is read once nobody is signed in. */
function isShown(order: SentOrder, outcome: Outcome): boolean {
  if (session.user) return session.user.id === order.userId;
  return "refused" in outcome && outcome.refused.code === SESSION_ENDED;
}

function sessionEnded(): ApiError {
  return new ApiError(SESSION_ENDED, 401, t("slip.session_ended"));
}

/** Whether the service refused the order itself: it was not carried out and will not be. */
function isDecided(error: ApiError): boolean {
  return !error.undecided && error.status !== 401 && error.status !== 429;
}

function storedOrder(): SentOrder | null {
  try {
    const found = sessionStorage.getItem(STORAGE);
    return found === null ? null : (JSON.parse(found) as SentOrder);
  } catch {
    return null;
  }
}

function storeOrder(order: SentOrder | null): void {
  try {
    if (order) sessionStorage.setItem(STORAGE, JSON.stringify(order));
    else sessionStorage.removeItem(STORAGE);
  } catch {
    // Blocked: the order is kept for as long as the page is.
  }
}
