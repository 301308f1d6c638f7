// The replies to a comment, oldest first, in pages by offset.
import type { Schemas } from "../../api/client.ts";
import { asApiError, type ApiError } from "../../api/errors.ts";

type Comment = Schemas["Comment"];

export class Replies {
  /** Whether they are there to be seen. */
  shown = $state(false);
  more = $state(false);
  loading = $state(false);
  error = $state.raw<ApiError>();
  #fetched = $state.raw<Comment[]>([]);
  /** Written here, which a page may bring, too. */
  #own = $state.raw<Comment[]>([]);
  readonly #ask: (offset: number) => Promise<Comment[]>;
  readonly #page: number;

  /** `page`: how many an answer has at most. */
  constructor(ask: (offset: number) => Promise<Comment[]>, page: number) {
    this.#ask = ask;
    this.#page = page;
  }

  readonly all = $derived([...this.#fetched, ...without(this.#fetched, this.#own)]);

  load = async (): Promise<void> => {
    if (this.loading) return;
    this.loading = true;
    try {
      // What was written here is behind those to come: it does not count.
      const found = await this.#ask(this.#fetched.length);
      this.#fetched = [...this.#fetched, ...without(this.#fetched, found)];
      this.more = found.length === this.#page;
      this.shown = true;
      this.error = undefined;
    } catch (thrown) {
      this.error = asApiError(thrown);
    }
    this.loading = false;
  };

  /** Shows one written here. */
  add(reply: Comment): void {
    this.#own = [...this.#own, reply];
    this.shown = true;
  }

  /** A reply as it is by now. */
  put(reply: Comment): void {
    const change = (one: Comment) => (one.id === reply.id ? reply : one);
    this.#fetched = this.#fetched.map(change);
    this.#own = this.#own.map(change);
  }
}

function without(known: Comment[], replies: Comment[]): Comment[] {
  const ids = new Set(known.map(({ id }) => id));
  return replies.filter(({ id }) => !ids.has(id));
}
