// What a screen shows from the service: one answer (Loaded) or a list in pages (Paged).
import { asApiError, isAbort, type ApiError } from "../api/errors.ts";
import { router } from "./router.svelte.ts";

/**
 * One answer: `data` once it is there, else `error`. Nothing is asked before load(); what was shown stays while it is
 * asked anew.
 */
export class Loaded<T> {
  data = $state.raw<T>();
  error = $state.raw<ApiError>();
  loading = $state(true);
  /** Unix milliseconds of the last answer. */
  loadedAt = 0;
  readonly #ask: (signal: AbortSignal) => Promise<T>;
  #controller: AbortController | null = null;

  constructor(ask: (signal: AbortSignal) => Promise<T>) {
    this.#ask = ask;
  }

  load = async (): Promise<void> => {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    this.loading = true;
    try {
      const data = await this.#ask(controller.signal);
      if (controller.signal.aborted) return;
      this.data = data;
      this.loadedAt = Date.now();
      this.error = undefined;
    } catch (thrown) {
      if (controller.signal.aborted || isAbort(thrown)) return;
      this.error = asApiError(thrown);
    }
    this.loading = false;
    this.#controller = null;
  };

  get asking(): boolean {
    return this.#controller !== null;
  }
}

export interface Page<T> {
  items: T[];
  next: string | null;
}

/** A list in pages: `items` so far; more() asks for the next page. */
export class Paged<T> {
  items = $state.raw<T[]>([]);
  error = $state.raw<ApiError>();
  loading = $state(false);
  /** Whether the first page is there. */
  ready = $state(false);
  #next = $state.raw<string | null>(null);
  readonly #ask: (cursor: string | undefined) => Promise<Page<T>>;

  constructor(ask: (cursor: string | undefined) => Promise<Page<T>>) {
    this.#ask = ask;
  }

  get hasMore(): boolean {
    return this.#next !== null;
  }

  /** No item, and none to come. */
  get isEmpty(): boolean {
    return this.ready && this.items.length === 0 && !this.hasMore;
  }

  /** The first page, or the next one. */
  more = async (): Promise<void> => {
    if (!this.ready || this.hasMore) await this.#load(this.#next ?? undefined);
  };

  /** All anew, from the first page; the old items stay until it is there. */
  reload = async (): Promise<void> => {
    await this.#load(undefined);
  };

  async #load(cursor: string | undefined): Promise<void> {
    if (this.loading) return;
    this.loading = true;
    try {
      const { items, next } = await this.#ask(cursor);
      this.items = cursor === undefined ? items : [...this.items, ...items];
      this.#next = next;
      this.ready = true;
      this.error = undefined;
    } catch (thrown) {
      this.error = asApiError(thrown);
    }
    this.loading = false;
  }
}

const FRESH_MS = 10_000;

/**
 * An answer kept with the history entry: Back shows it at once and asks anew behind it. The name holds whatever the question depends on.
 * Call it in `$derived` where that may change.
 */
export function loaded<T>(name: string, ask: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const kept = router.keep(name, () => new Loaded(ask));
  const isOld = Date.now() - kept.loadedAt > FRESH_MS;
  if (isOld && !kept.asking) queueMicrotask(() => void kept.load());
  return kept;
}

/** A list kept with the history entry, its first page asked for. */
export function paged<T>(
  name: string,
  ask: (cursor: string | undefined) => Promise<Page<T>>,
): Paged<T> {
  return router.keep(name, () => {
    const made = new Paged(ask);
    queueMicrotask(() => void made.more());
    return made;
  });
}
