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
  /** When the last answer was asked for, by performance.now(): no clock is set meanwhile. It is that old at most. */
  askedAt = $state(0);
  readonly #ask: (signal: AbortSignal) => Promise<T>;
  #controller: AbortController | null = null;
  #underway: Promise<void> = Promise.resolve();
  /** Whether something has changed since what is under way was asked for. */
  #isStale = false;

  constructor(ask: (signal: AbortSignal) => Promise<T>) {
    this.#ask = ask;
  }

  /** What a person asks for takes the place of what is under way. */
  load = (): Promise<void> => (this.#underway = this.#load());

  /** What a timer or the live socket asks for waits for what is under way: an answer slower than those would never come. */
  reload = (): Promise<void> => {
    if (!this.asking) return this.load();
    this.#isStale = true;
    return this.#underway;
  };

  async #load(): Promise<void> {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    this.#isStale = false;
    this.loading = true;
    const askedAt = performance.now();
    try {
      const data = await this.#ask(controller.signal);
      if (controller.signal.aborted) return;
      this.data = data;
      this.askedAt = askedAt;
      this.loadedAt = Date.now();
      this.error = undefined;
    } catch (thrown) {
      if (controller.signal.aborted) return;
      if (!isAbort(thrown)) this.error = asApiError(thrown);
    }
    this.loading = false;
    this.#controller = null;
    if (this.#isStale) await this.load();
  }

  get asking(): boolean {
    return this.#controller !== null;
  }
}

/** What tells an item from the others of its list. */
export type Key = number | string;

export interface Page<T> {
  items: T[];
  next: string | null;
}

/** A list in pages: `items` so far, each once; more() asks for the next page. */
export class Paged<T> {
  items = $state.raw<T[]>([]);
  error = $state.raw<ApiError>();
  loading = $state(false);
  /** Whether the first page is there. */
  ready = $state(false);
  #next = $state.raw<string | null>(null);
  /** Whether what is being loaded was asked for anew. */
  #isStale = false;
  /** Whether the last load was of all. */
  #isReload = false;
  readonly #ask: (cursor: string | undefined) => Promise<Page<T>>;
  readonly #keyOf: (item: T) => Key;
  /** What was put in since the page under way was asked for: newer than what that page says. */
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- read by no template
  #put = new Map<Key, T>();

  constructor(ask: (cursor: string | undefined) => Promise<Page<T>>, keyOf: (item: T) => Key) {
    this.#ask = ask;
    this.#keyOf = keyOf;
  }

  get hasMore(): boolean {
    return this.#next !== null;
  }

  /** No item, and none to come. */
  get isEmpty(): boolean {
    return this.ready && this.items.length === 0 && !this.hasMore;
  }

  /** The first page, or the next one. Ranks move between two pages: what is shown already is not shown again. */
  more = async (): Promise<void> => {
    if (this.ready && !this.hasMore) return;
    await this.#load(this.#next ?? undefined, (items) => [
      ...this.items,
      ...this.#without(this.items, items),
    ]);
  };

  /** All anew, from the first page; the old items stay until it is there. Once more where it was asked meanwhile. */
  reload = async (): Promise<void> => {
    if (this.loading) {
      this.#isStale = true;
      return;
    }
    await this.#load(
      undefined,
      (items) => [
        ...this.#without(items, [...this.#put.values()].reverse()),
        ...items.map((item) => this.#put.get(this.#keyOf(item)) ?? item),
      ],
      true,
    );
  };

  /** Asks once more for what has failed. */
  retry = (): Promise<void> => (this.#isReload ? this.reload() : this.more());

  /** An item as it is by now: in its place, or at the top where it is new. */
  put(item: T): void {
    const key = this.#keyOf(item);
    if (this.loading) this.#put.set(key, item);
    const isKnown = this.items.some((one) => this.#keyOf(one) === key);
    this.items = isKnown
      ? this.items.map((one) => (this.#keyOf(one) === key ? item : one))
      : [item, ...this.items];
  }

  async #load(
    cursor: string | undefined,
    listOf: (items: T[]) => T[],
    isReload = false,
  ): Promise<void> {
    if (this.loading) return;
    this.loading = true;
    this.#isReload = isReload;
    this.#put.clear();
    try {
      const { items, next } = await this.#ask(cursor);
      this.items = listOf(items);
      this.#next = next;
      this.ready = true;
      this.error = undefined;
    } catch (thrown) {
      this.error = asApiError(thrown);
    }
    this.loading = false;
    if (!this.#isStale) return;
    this.#isStale = false;
    await this.reload();
  }

  #without(shown: T[], items: T[]): T[] {
    const keys = shown.map(this.#keyOf);
    return items.filter((item) => !keys.includes(this.#keyOf(item)));
  }
}

/** What tells items with ids apart. */
export const byId = ({ id }: { id: number }): number => id;

/** Within it an answer is not asked for again: what comes back at once was watched until then. */
const FRESH_MS = 1_000;

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

/** A list kept with the history entry, its first page asked for. `keyOf`: what tells its items apart. */
export function paged<T>(
  name: string,
  ask: (cursor: string | undefined) => Promise<Page<T>>,
  keyOf: (item: T) => Key,
): Paged<T> {
  return router.keep(name, () => {
    const made = new Paged(ask, keyOf);
    queueMicrotask(() => void made.more());
    return made;
  });
}
