// Sending a movement of money: one key for one movement, until its fate is known.
import { idempotencyKey } from "../../api/client.ts";
import { asApiError, type ApiError } from "../../api/errors.ts";

export class Once {
  sending = $state(false);
  refused = $state.raw<ApiError | null>(null);
  #key: string | null = null;

  /** No attempt said whether it was done: the same must be sent again, nothing else. */
  get isUndecided(): boolean {
    return this.refused?.undecided ?? false;
  }

  /** Sends with the key of this movement. Returns the answer, or null where it was refused or got none. */
  async send<T>(call: (key: string) => Promise<T>): Promise<T | null> {
    if (this.sending) return null;
    this.sending = true;
    this.#key ??= idempotencyKey();
    try {
      const made = await call(this.#key);
      this.refused = null;
      this.#key = null;
      return made;
    } catch (thrown) {
      this.refused = asApiError(thrown);
      if (!this.isUndecided) this.#key = null;
      return null;
    } finally {
      this.sending = false;
    }
  }
}
