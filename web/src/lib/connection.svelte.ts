import { now } from "./clock.svelte.ts";

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

  #asking = false;

  async #ask(): Promise<void> {
    this.#asking = true;
    for (let wait = 2_000; this.offline; wait = Math.min(wait * 2, 30_000)) {
      await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())));
      const response = await fetch("/api/v1/ready").catch(() => null);
      if (response?.ok) this.answered();
    }
    this.#asking = false;
  }
}

export const connection = new Connection();
