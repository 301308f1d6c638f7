// What an operator has just done, and can undo for ten seconds. What cannot be taken back is sent when they are over.
import { asApiError, type ApiError } from "../../api/errors.ts";

export const UNDO_MS = 10_000;

export interface Deed {
  text: string;
  /** Sends what waits. */
  finish?: () => Promise<unknown>;
  /** Takes back what was sent already, or what the page shows. */
  undo: () => Promise<unknown> | undefined;
}

export class Deeds {
  last = $state.raw<Deed>();
  error = $state.raw<ApiError>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** A later deed makes the one before it final. */
  add(deed: Deed): void {
    void this.finish();
    this.error = undefined;
    this.last = deed;
    this.#timer = setTimeout(() => void this.finish(), UNDO_MS);
  }

  undo = async (): Promise<void> => {
    const deed = this.#take();
    await this.#run(() => deed?.undo());
  };

  /** Makes the last deed final now: its time is over, or the page is left. */
  finish = async (): Promise<void> => {
    const deed = this.#take();
    if (!deed?.finish) return;
    if (!(await this.#run(deed.finish))) void deed.undo();
  };

  fail(thrown: unknown): void {
    this.error = asApiError(thrown);
  }

  #take(): Deed | undefined {
    clearTimeout(this.#timer);
    const deed = this.last;
    this.last = undefined;
    return deed;
  }

  async #run(work: () => Promise<unknown> | undefined): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (thrown) {
      this.fail(thrown);
      return false;
    }
  }
}
