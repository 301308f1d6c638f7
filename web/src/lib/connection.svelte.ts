import { now } from "./clock.svelte.ts";

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 30_000;

/** Whether the service can be reached, and when it last answered. */
class Connection {
  offline = $state(!navigator.onLine);
  /** Unix milliseconds of the last answer: what is shown is as of then. */
  answeredAt = $state(now());

  constructor() {
    addEventListener("online", () => {
      this.offline = false;
    });
    addEventListener("offline", () => {
      this.offline = true;
    });
  }

  answered(): void {
    this.answeredAt = now();
    this.offline = false;
  }

  /** A request got no answer: asks until one comes. */
  lost(): void {
    this.offline = true;
    if (!this.#asking) void this.#ask();
  }

  /** Whether the service answers now; where it does not, this is said until it does. */
  async check(): Promise<boolean> {
    const response = await fetch("/api/v1/ready").catch(() => null);
    if (response?.ok) this.answered();
    else this.lost();
    return response?.ok === true;
  }

  /** Ends once the service answers. */
  async back(): Promise<void> {
    for (
      let wait = FIRST_WAIT_MS;
      !(await this.check());
      wait = Math.min(wait * 2, LONGEST_WAIT_MS)
    )
      await pause(wait);
  }

  #asking = false;

  async #ask(): Promise<void> {
    this.#asking = true;
    for (let wait = FIRST_WAIT_MS; this.offline; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      await pause(wait);
      const response = await fetch("/api/v1/ready").catch(() => null);
      if (response?.ok) this.answered();
    }
    this.#asking = false;
  }
}

/** Waits about that long: not all pages ask at once. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms * (0.5 + Math.random())));
}

export const connection = new Connection();
