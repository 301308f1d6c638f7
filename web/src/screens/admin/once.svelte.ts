// Sending a movement of money: one key for one movement, until its fate is known.
import { idempotencyKey } from "../../api/client.ts";
import { asApiError, type ApiError } from "../../api/errors.ts";

/** What the service checks before the key: session, role, rate. It says nothing of an attempt before. */
const BEFORE_KEY = [401, 403, 429];

export class Once {
  sending = $state(false);
  refused = $state.raw<ApiError | null>(null);
  /** An attempt did not say whether it was done, and none since: the same must be sent again, nothing else. */
  isUndecided = $state(false);
  #key: string | null = null;

  /** Sends with the key of this movement. Returns the answer, or null where it was refused or got none. */
  async send<T>(call: (key: string) => Promise<T>): Promise<T | null> {
    if (this.sending) return null;
    this.sending = true;
    this.#key ??= idempotencyKey();
    try {
      const made = await call(this.#key);
      this.refused = null;
      this.#settle();
      return made;
    } catch (thrown) {
      const error = asApiError(thrown);
      this.refused = error;
      if (error.undecided) this.isUndecided = true;
      else if (!this.isUndecided || !BEFORE_KEY.includes(error.status)) this.#settle();
      return null;
    } finally {
      this.sending = false;
    }
  }

  #settle(): void {
    this.isUndecided = false;
    this.#key = null;
  }
}
