import { get } from "../api/client.ts";
import { live } from "./live.svelte.ts";
import { session } from "./session.svelte.ts";

const EVERY_MS = 60_000;

/**
 * How many notifications are unread: asked every minute, on focus, when a watched event's state changes, and when money
 * came or went.
 */
class Unread {
  count = $state(0);

  /** Keeps the count up to date until the returned function is called. */
  follow(): () => void {
    const ask = () => {
      void this.ask();
    };
    const timer = setInterval(ask, EVERY_MS);
    const stops = [live.states(ask), session.changed(ask)];
    addEventListener("focus", ask);
    ask();
    return () => {
      clearInterval(timer);
      stops.forEach((stop) => {
        stop();
      });
      removeEventListener("focus", ask);
    };
  }

  async ask(): Promise<void> {
    if (!session.user || document.hidden) return;
    try {
      this.count = (await get("/api/v1/notifications/unread/count")).count;
    } catch {
      // The old count stays; the next minute asks again.
    }
  }
}

export const unread = new Unread();
