// Sending a movement of money: one key for one movement, until its fate is known.
import { idempotencyKey } from "../../api/client.ts";
import { asApiError, type ApiError } from "../../api/errors.ts";
import { session } from "../../lib/session.svelte.ts";

/** What the service checks before the key: session, role, rate. It says nothing of an attempt before. */
const BEFORE_KEY = [401, 403, 429];

export class Once {
  sending = $state(false);
  refused = $state.raw<ApiError | null>(null);
  #key: string | null = null;
  /** Only this user's session may send it again: keys are each user's own. */
  #userId = $state<number>();
  #isUndecided = $state(false);

  /** An attempt did not say whether it was done, and none since: the same must be sent again, nothing else. */
  get isUndecided(): boolean {
    return this.#isUndecided && this.#userId === session.user?.id;
  }

  /** Sends with the key of this movement. Returns the answer, or null where it was refused or got none. */
  async send<T>(call: (key: string) => Promise<T>): Promise<T | null> {
    if (this.sending) return null;
    this.sending = true;
    if (this.#userId !== session.user?.id) this.#settle();
    this.#userId = session.user?.id;
    this.#key ??= idempotencyKey();
    try {
      const made = await call(this.#key);
      this.refused = null;
      this.#settle();
      return made;
    } catch (thrown) {
      const error = asApiError(thrown);
      this.refused = error;
      if (error.undecided) this.#isUndecided = true;
      else if (!this.#isUndecided || !BEFORE_KEY.includes(error.status)) this.#settle();
      return null;
    } finally {
      this.sending = false;
    }
  }

  #settle(): void {
    this.#isUndecided = false;
    this.#key = null;
  }
}
