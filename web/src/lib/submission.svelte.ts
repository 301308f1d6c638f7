import { asApiError, type ApiError } from "../api/errors.ts";
import { seconds, now } from "./clock.svelte.ts";

/** A form's way to the service: sending, refused (with texts for its fields), or told to wait. */
export class Submission {
  sending = $state(false);
  error = $state.raw<ApiError>();
  #waitUntil = $state(0);

  /** Milliseconds until the service listens again; 0 when it does. Reactive. */
  get waitMs(): number {
    return this.#waitUntil === 0 ? 0 : Math.max(0, this.#waitUntil - seconds.now);
  }

  /** Whether the button can be pressed. */
  get isReady(): boolean {
    return !this.sending && this.waitMs === 0;
  }

  /** The service's text for a field. */
  field(name: string): string {
    return this.error?.fields[name] ?? "";
  }

  /** Runs the work unless it runs already. Returns whether it was done. */
  run = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (!this.isReady) return false;
    this.sending = true;
    this.error = undefined;
    try {
      await work();
      return true;
    } catch (thrown) {
      this.error = asApiError(thrown);
      const wait = this.error.status === 429 ? Math.max(1, this.error.retryAfter) : 0;
      this.#waitUntil = wait > 0 ? now() + wait * 1_000 : 0;
      return false;
    } finally {
      this.sending = false;
    }
  };

  clear(): void {
    this.error = undefined;
  }
}
