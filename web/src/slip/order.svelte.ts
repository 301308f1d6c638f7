// A person's one order under way. Its key and content stay in sessionStorage until its fate is known, so neither a lost
// answer nor a reload can make it a second order, and it is never called failed while it may have been carried out.
import { idempotencyKey } from "../api/client.ts";
import { ApiError, asApiError } from "../api/errors.ts";
import { sessionUntil } from "../api/tokens.ts";
import { now } from "../lib/clock.svelte.ts";
import { t } from "../lib/i18n.ts";
import { session } from "../lib/session.svelte.ts";
import { Said } from "./said.svelte.ts";
import { send } from "./sending.ts";
import type { OrderRequest, Outcome, SentOrder } from "./target.ts";

const STORAGE = "order";
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** The code of an order that was not made because its session ended. It is never sent on by a sign-in. */
export const SESSION_ENDED = "session_ended";

/**
 * "sending": an attempt is under way, none was lost. "waiting": the service has too much to do, nothing was sent on.
 * "busy": the service has too much to do for anybody, which decided nothing yet. "checking": an attempt got no answer;
 * in both the same order is sent again. "sign-in": meanwhile the session ended, so its
 * fate is found out once the same person is back.
 */
export type OrderStep = "idle" | "sending" | "waiting" | "busy" | "checking" | "sign-in";

/** An order on its way. */
class UnderWay {
  order: SentOrder;
  step: OrderStep;
  /** Ends the wait for its next attempt. */
  wake: () => void = () => undefined;

  constructor(order: SentOrder, step: OrderStep) {
    this.order = $state.raw(order);
    this.step = $state(step);
  }
}

class Orders {
  /** One a person at most. That of somebody else than who is signed in stays aside until its person is back. */
  #underWay = $state.raw<readonly UnderWay[]>([]);
  readonly #current = $derived.by(() => {
    const { user } = session;
    if (!user) return this.#underWay.at(-1);
    return this.#underWay.find(({ order }) => order.userId === user.id);
  });
  readonly #wakeAll = () => {
    for (const one of this.#underWay) one.wake();
  };
  /** Of the last order, until the next one, dismiss() or another user: it is shown to its own alone. */
  outcome = $state.raw<Outcome | null>(null);
  /** The order that `outcome` is of. */
  decidedOrder = $state.raw<SentOrder | null>(null);
  /** The comment that went with an order of who is signed in, until it is written and read, or left out. */
  said = $state.raw<Said | null>(null);
  /** Slips on the screen, which show the order themselves. */
  slips = $state(0);
  readonly #onDecided = new Set<(order: SentOrder, outcome: Outcome) => void>();

  constructor() {
    addEventListener("online", this.#wakeAll);
    // Who has signed in again wants to know at once.
    session.switched(() => {
      const { outcome, decidedOrder } = this;
      if (outcome && decidedOrder && !isShown(decidedOrder, outcome)) this.dismiss();
      this.#resumeSaid();
      this.#wakeAll();
    });
  }

  get order(): SentOrder | null {
    return this.#current?.order ?? null;
  }

  get step(): OrderStep {
    return this.#current?.step ?? "idle";
  }

  /** Takes up the orders that a reload interrupted. */
  resume(): void {
    for (const order of storedOrders())
      if (!this.#underWay.some((one) => one.order.userId === order.userId))
        this.#start(new UnderWay({ ...order, undecided: true }, "checking"));
    this.#resumeSaid();
  }

  /** It is shown to its own alone. */
  #resumeSaid(): void {
    this.said = session.user ? Said.interrupted(session.user.id) : null;
  }

  /** Sends an order. One at a time: nothing happens while another of the same person is undecided. */
  place(request: OrderRequest, about: { eventId: number; name: string; comment?: string }): void {
    if (this.order || !session.user) return;
    this.outcome = null;
    const order = {
      key: idempotencyKey(),
      userId: session.user.id,
      request,
      ...about,
      undecided: false,
      placedAt: now(),
      away: false,
    };
    this.#start(new UnderWay(order, "sending"));
  }

  /** Takes back an order that no attempt has reached the service with: while it waits. */
  cancel(): void {
    const current = this.#current;
    if (current && !current.order.undecided && current.step !== "sending") this.#end(current, null);
  }

  dismiss(): void {
    this.outcome = null;
    this.decidedOrder = null;
    if (this.said?.step === "written") this.said = null;
  }

  /** The comment that was refused is not to be written after all. */
  leaveOut(): void {
    this.said?.leaveOut();
    this.said = null;
  }

  /** Calls back when the fate of an order of who is signed in is known. */
  decided(call: (order: SentOrder, outcome: Outcome) => void): () => void {
    this.#onDecided.add(call);
    return () => this.#onDecided.delete(call);
  }

  #start(one: UnderWay): void {
    this.#underWay = [...this.#underWay, one];
    this.#store();
    void this.#run(one);
  }

  async #run(one: UnderWay): Promise<void> {
    let wait = FIRST_WAIT_MS;
    for (; this.#underWay.includes(one); wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      const { order } = one;
      const isFirst = one.step === "sending";
      // From here on the order may reach the service: it cannot be taken back.
      if (!order.undecided) one.step = "sending";
      // Since the attempt before, somebody else may have signed in, in another tab perhaps.
      if (!isFirst) await session.load();
      if (this.#isItsUser(one)) {
        try {
          if (order.away && !(await (await import("./was-made.ts")).wasMade(order)))
            this.#end(one, { refused: sessionEnded() });
          else this.#end(one, await send(order));
          return;
        } catch (thrown) {
          const error = asApiError(thrown);
          if (isDecided(error)) {
            this.#end(one, { refused: error });
            return;
          }
          this.#note(one, error);
          wait = Math.max(wait, error.waitMs);
        }
      }
      if ((one.step === "sign-in" || isAside(one.order)) && !this.#noteAway(one)) return;
      await this.#pause(one, wait);
    }
  }

  /** What an attempt that decided nothing means for the order. */
  #note(one: UnderWay, error: ApiError): void {
    if (error.undecided) this.#change(one, { undecided: true });
    if (error.status === 401) one.step = "sign-in";
    else if (error.status === 429 && !one.order.undecided) one.step = "waiting";
    else one.step = error.busy ? "busy" : "checking";
  }

  /** The session of the order is over. Returns whether there is still something to find out. */
  #noteAway(one: UnderWay): boolean {
    if (!one.order.undecided) {
      void session.load();
      this.#end(one, { refused: sessionEnded() });
      return false;
    }
    this.#change(one, { away: true });
    return true;
  }

  #change(one: UnderWay, change: Partial<SentOrder>): void {
    one.order = { ...one.order, ...change };
    this.#store();
  }

  /** Another user's session must not send it: it would be another order. */
  #isItsUser(one: UnderWay): boolean {
    const isSignedIn = sessionUntil() !== null && session.user?.id === one.order.userId;
    if (isSignedIn) return true;
    // Not known who is signed in, as long as the service cannot be reached.
    one.step = session.user === undefined ? "checking" : "sign-in";
    return false;
  }

  #pause(one: UnderWay, ms: number): Promise<void> {
    return new Promise((resolve) => {
      // While somebody else is signed in there is nothing to try.
      const timer = isAside(one.order) ? undefined : setTimeout(resolve, ms);
      one.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #end(one: UnderWay, outcome: Outcome | null): void {
    const { order } = one;
    this.#underWay = this.#underWay.filter((other) => other !== one);
    this.#store();
    one.wake();
    if (!outcome || !isShown(order, outcome)) return;
    this.outcome = outcome;
    this.decidedOrder = order;
    if ("receipt" in outcome) session.setBalance(outcome.receipt.balanceKopecks);
    else if ("placed" in outcome) session.setBalance(outcome.placed.balance_kopecks);
    else if ("basket" in outcome) session.setBalance(outcome.basket.balance_kopecks);
    else if (outcome.refused.code === "insufficient_funds") void session.load();
    if (order.comment && !("refused" in outcome)) {
      const { userId, eventId, comment: text, placedAt: since } = order;
      this.said = new Said({ userId, eventId, text, since });
    }
    this.#onDecided.forEach((call) => {
      call(order, outcome);
    });
  }

  #store(): void {
    storeOrders(this.#underWay.map(({ order }) => order));
  }
}

export const orders = new Orders();

/** Whether somebody else than its person is signed in. */
function isAside(order: SentOrder): boolean {
  const { user } = session;
  return user ? user.id !== order.userId : false;
}

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

function storedOrders(): SentOrder[] {
  try {
    const found = JSON.parse(sessionStorage.getItem(STORAGE) ?? "[]") as SentOrder | SentOrder[];
    return [found].flat(); // before a new version of this page was loaded there was one
  } catch {
    return [];
  }
}

function storeOrders(orders: SentOrder[]): void {
  try {
    if (orders.length > 0) sessionStorage.setItem(STORAGE, JSON.stringify(orders));
    else sessionStorage.removeItem(STORAGE);
  } catch {
    // Blocked: orders are kept for as long as the page is.
  }
}
