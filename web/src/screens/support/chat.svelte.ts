// The visitor's conversation: begun with the first message, followed by a stream, until an operator closes it.
import { answer, api, get, type Schemas } from "../../api/client.ts";
import { asApiError, type ApiError } from "../../api/errors.ts";
import { session } from "../../lib/session.svelte.ts";
import { supportChat } from "../../lib/support.svelte.ts";
import { merged, type ChatEvent, type Message } from "./messages.ts";

type Status = Schemas["ChatSession"]["status"];

export class Chat {
  messages = $state.raw<Message[]>([]);
  /** null: there is no conversation. */
  status = $state<Status | null>(null);
  ready = $state(false);
  sending = $state(false);
  error = $state.raw<ApiError | null>(null);
  #stream: EventSource | null = null;

  /** Takes up the conversation of this person or device, if there may be one. */
  load = async (): Promise<void> => {
    this.error = null;
    if (session.user || supportChat.seen !== null) {
      try {
        const { messages, status } = await get("/api/v1/chat/messages");
        this.#take(messages, status);
      } catch (thrown) {
        const error = asApiError(thrown);
        if (error.status === 404) supportChat.forget();
        else this.error = error;
      }
    }
    this.ready = true;
  };

  /** Sends a message, beginning a conversation where there is none. Returns whether it was taken. */
  async send(text: string): Promise<boolean> {
    return this.#run(async () => {
      await this.#begin();
      const { messages } = await answer(api.POST("/api/v1/chat/message", { body: { text } }));
      this.#take(messages);
    });
  }

  callOperator(): Promise<boolean> {
    return this.#run(async () => {
      await this.#begin();
      await answer(api.POST("/api/v1/chat/session/call-operator"));
      const { messages, status } = await get("/api/v1/chat/messages");
      this.#take(messages, status);
    });
  }

  stop(): void {
    this.#stream?.close();
    this.#stream = null;
  }

  async #begin(): Promise<void> {
    if (this.status !== null && this.status !== "closed") return;
    const begun = await answer(api.POST("/api/v1/chat/session"));
    this.messages = [];
    this.#take(begun.messages, begun.status);
    supportChat.see(begun.messages.at(-1)?.id ?? 0);
  }

  async #run(work: () => Promise<void>): Promise<boolean> {
    this.sending = true;
    this.error = null;
    try {
      await work();
      return true;
    } catch (thrown) {
      this.error = asApiError(thrown);
      return false;
    } finally {
      this.sending = false;
    }
  }

  #take(messages: Message[], status = this.status): void {
    this.messages = merged(this.messages, messages);
    this.status = status;
    const newest = this.messages.at(-1)?.id;
    if (newest !== undefined) supportChat.see(newest);
    if (status === "closed") {
      this.stop();
      supportChat.forget();
    } else if (status !== null && !this.#stream) this.#follow();
  }

  #follow(): void {
    this.#stream = new EventSource("/api/v1/chat/stream");
    this.#stream.onmessage = ({ data }: MessageEvent<string>) => {
      const event = JSON.parse(data) as ChatEvent;
      if ("status" in event) this.#take([], event.status);
      else this.#take([event]);
    };
  }
}
