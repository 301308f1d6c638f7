import { get, type Schemas } from "../api/client.ts";
import { asApiError, isAbort, type ApiError } from "../api/errors.ts";
import type { Action, Side } from "./target.ts";

const TYPING_MS = 150;
const LEAST_PAUSE_MS = 1_000;
const LONGEST_WAIT_MS = 8_000;

export interface Question {
  action: Action;
  marketId: number;
  side: Side;
  /** Kopecks of a buy, shares of a sale. */
  size: number;
  /** Of a list: how many outcomes are known. */
  outcomes: number | null;
}

/**
 * The service's quote of what a slip holds: asked 150 ms after typing, and again, at most once a second, when the price
 * moves. One that got no answer, or met a pause, is asked for again 1, 2, 4, 8, 8 … s later.
 */
export class Asking<Asked, Quote> {
  quote = $state.raw<Quote | null>(null);
  error = $state.raw<ApiError | null>(null);
  readonly #send: (question: Asked, signal: AbortSignal) => Promise<Quote>;
  #question: Asked | null = null;
  #asked = "";
  #askedAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #controller: AbortController | null = null;
  /** Until a question that got no answer is asked again; 0 where it got one. */
  #wait = 0;

  constructor(send: (question: Asked, signal: AbortSignal) => Promise<Quote>) {
    this.#send = send;
  }

  /** `price` is only looked at for whether it moved. */
  follow(question: Asked | null, price: number): void {
    const asked = JSON.stringify(question);
    const isTyped = asked !== this.#asked;
    if (isTyped) {
      this.quote = null;
      this.error = null;
      this.#wait = 0;
      this.#controller?.abort();
    }
    this.#asked = asked;
    this.#question = question;
    if (question && !isTyped && (this.#price === price || this.#isTyped)) return; // a question under way stays so
    clearTimeout(this.#timer);
    this.#isTyped = isTyped;
    if (!question) return;
    this.#price = price;
    const pause = isTyped ? TYPING_MS : LEAST_PAUSE_MS - (performance.now() - this.#askedAt);
    this.#timer = setTimeout(this.ask, Math.max(pause, 0));
  }

  #price = NaN;
  /** Whether what was typed is still to be asked: with whatever price it meets then. */
  #isTyped = false;

  ask = async (): Promise<void> => {
    const question = this.#question;
    if (!question) return;
    clearTimeout(this.#timer);
    this.#isTyped = false;
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    this.#askedAt = performance.now();
    try {
      const quote = await this.#send(question, controller.signal);
      if (controller.signal.aborted) return;
      this.quote = quote;
      this.error = null;
      this.#wait = 0;
    } catch (thrown) {
      if (controller.signal.aborted || isAbort(thrown)) return;
      this.quote = null;
      const error = asApiError(thrown);
      this.error = error;
      // A pause may be over before a message tells of it: then none does.
      if (!error.undecided && error.status !== 429 && error.code !== "market_paused") return;
      this.#wait = Math.min(Math.max(this.#wait * 2, LEAST_PAUSE_MS), LONGEST_WAIT_MS);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(this.ask, Math.max(this.#wait, error.waitMs));
    }
  };

  /** Asks again where the quote no longer holds: no order is made from it meanwhile. */
  askAnew(): void {
    this.quote = null;
    void this.ask();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#controller?.abort();
  }
}

/** Of a bet or a sale of one outcome. */
export class Quoting extends Asking<Question, Schemas["Quote"]> {
  constructor() {
    super((question, signal) => {
      const size =
        question.action === "buy" ? { amount_kopecks: question.size } : { shares: question.size };
      const known = question.outcomes === null ? {} : { outcomes: question.outcomes };
      const query = { market_id: question.marketId, token_type: question.side, ...size, ...known };
      return get("/api/v1/market/quote", { query }, signal);
    });
  }
}
