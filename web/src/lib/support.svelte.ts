// Whether an operator has written what the visitor has not seen. Only asked where there is a conversation on this device.
import { get } from "../api/client.ts";
import { ApiError } from "../api/errors.ts";
import { store, stored } from "./storage.ts";

const EVERY_MS = 60_000;
const STORAGE = "chat_seen";

class SupportChat {
  unread = $state(false);

  /** The newest message that was seen here; null where no conversation is known of. */
  get seen(): number | null {
    const kept = stored(STORAGE);
    return kept === null ? null : Number(kept);
  }

  /** All up to this message has been seen. */
  see(id: number): void {
    if (id >= (this.seen ?? 0)) store(STORAGE, String(id));
    this.unread = false;
  }

  forget(): void {
    store(STORAGE, null);
    this.unread = false;
  }

  follow(): () => void {
    const ask = () => {
      void this.#ask();
    };
    const timer = setInterval(ask, EVERY_MS);
    addEventListener("focus", ask);
    ask();
    return () => {
      clearInterval(timer);
      removeEventListener("focus", ask);
    };
  }

  async #ask(): Promise<void> {
    const { seen } = this;
    if (seen === null || document.hidden) return;
    try {
      const params = { query: { after: seen } };
      const { messages } = await get("/api/v1/chat/messages", params);
      if (this.seen === seen) this.unread = messages.some(({ sender }) => sender === "operator");
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.status === 404) this.forget();
    }
  }
}

export const supportChat = new SupportChat();
