// Prices, states and trades as they happen, over one socket. Screens say what they look at:
//   $effect(() => live.watch(ids));        // until the effect ends
//   live.pool(id)?.probabilities ?? card…  // reactive
// While somebody is signed in, it is open on every screen and tells what they have.
import { SvelteMap } from "svelte/reactivity";
import type {
  LiveEvent,
  LiveMessage,
  LiveOwn,
  LivePool,
  Trade,
  WatchRequest,
} from "../api/live.ts";
import { get } from "../api/client.ts";
import { refreshIfDue } from "../api/tokens.ts";
import { now } from "./clock.svelte.ts";

const MOST_EVENTS = 50;
const HISTORY = 20;
const QUIET_MS = 45_000;
const ANSWER_MS = 10_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** Code of a socket that the service ends. */
const POLICY_VIOLATION = 1008;

export type LiveState = "idle" | "connecting" | "live" | "lost";

class Live {
  /** "lost": it was live and is not now, so what is shown may be out of date. */
  state = $state<LiveState>("idle");
  /** Unix milliseconds of the last message. */
  asOf = $state(now());

  readonly #events = new SvelteMap<number, LiveEvent>();
  readonly #pools = new SvelteMap<number, LivePool>();
  readonly #traders = new SvelteMap<number, number>();
  readonly #watched = new Map<number, number>();
  readonly #onTrade = new Set<(trade: Trade) => void>();
  readonly #onState = new Set<(event: LiveEvent) => void>();
  #onOwn: ((own: LiveOwn) => void) | null = null;
  /** Who is signed in; undefined: not known yet. */
  #user: number | null | undefined;
  #tapes = 0;
  #histories = 0;
  #opening = false;
  #socket: WebSocket | null = null;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #heardAt = 0;
  /** When the last message came, by performance.now(). */
  #saidAt = 0;
  #asked = false;

  constructor() {
    addEventListener("online", () => {
      this.#reconnectNow();
    });
    addEventListener("offline", () => {
      this.#drop();
    });
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.#reconnectNow();
    });
    setInterval(() => {
      this.#checkQuiet();
    }, 5_000);
  }

  /** What was last heard of an event, unless the caller's own answer is newer: `askedAt` is Loaded's. */
  event(id: number, askedAt = 0): LiveEvent | undefined {
    return this.#isOlder(askedAt) ? undefined : this.#events.get(id);
  }

  /** The same of a pool. */
  pool(id: number, askedAt = 0): LivePool | undefined {
    return this.#isOlder(askedAt) ? undefined : this.#pools.get(id);
  }

  /** While it is live, nothing is newer: a page may come from a replica. */
  #isOlder(askedAt: number): boolean {
    return this.state === "lost" && this.#saidAt < askedAt;
  }

  /** How many have traded in an event; undefined until it is heard. */
  traders(id: number): number | undefined {
    return this.#traders.get(id);
  }

  /** Watches events until the returned function is called; of more than 50 the last ones. */
  watch(ids: readonly number[]): () => void {
    for (const id of ids) {
      const watchers = (this.#watched.get(id) ?? 0) + 1;
      this.#watched.delete(id); // to the end: the last ones are watched
      this.#watched.set(id, watchers);
    }
    this.#ask();
    return () => {
      for (const id of ids) {
        const left = (this.#watched.get(id) ?? 1) - 1;
        if (left > 0) this.#watched.set(id, left);
        else this.#forget(id);
      }
      this.#ask();
    };
  }

  /** Calls back for every trade of every event; with `history` for the last ones first. A trade may come twice. */
  tape(onTrade: (trade: Trade) => void, { history = false } = {}): () => void {
    this.#tapes++;
    if (history) this.#histories++;
    const stop = this.trades(onTrade);
    this.#ask();
    return () => {
      this.#tapes--;
      if (history) this.#histories--;
      stop();
      this.#ask();
    };
  }

  /** Calls back for the trades that come anyway: those of watched events, and all while a tape runs. */
  trades(onTrade: (trade: Trade) => void): () => void {
    this.#onTrade.add(onTrade);
    return () => this.#onTrade.delete(onTrade);
  }

  /** Calls back where a watched event's state changes. */
  states(onState: (event: LiveEvent) => void): () => void {
    this.#onState.add(onState);
    return () => this.#onState.delete(onState);
  }

  /** Calls back with what the signed-in `user` has, at first and after every change; null: nobody is signed in. */
  own(user: number | null, onOwn: (own: LiveOwn) => void): void {
    const isOther = this.#user !== undefined && this.#user !== user;
    this.#user = user;
    this.#onOwn = user === null ? null : onOwn;
    if (isOther) {
      const socket = this.#socket;
      this.#socket = null;
      socket?.close(); // the next one brings other cookies
    }
    this.#ask();
  }

  get #isNeeded(): boolean {
    return this.#watched.size > 0 || this.#tapes > 0 || this.#onOwn !== null;
  }

  #forget(id: number): void {
    this.#watched.delete(id);
    this.#traders.delete(id);
    for (const pool of this.#events.get(id)?.pools ?? []) this.#pools.delete(pool.pool_id);
    this.#events.delete(id);
  }

  /** Tells the service what to send, once for all changes of one moment. */
  #ask(): void {
    if (this.#asked) return;
    this.#asked = true;
    queueMicrotask(() => {
      this.#asked = false;
      if (this.#socket?.readyState === WebSocket.OPEN) this.#send(this.#socket);
      else if (this.#isNeeded && !this.#socket && this.#timer === undefined) void this.#connect();
    });
  }

  #send(socket: WebSocket): void {
    const events = [...this.#watched.keys()].slice(-MOST_EVENTS);
    const request: WatchRequest = {
      watch: {
        events,
        tape: this.#tapes > 0,
        more: true,
        last_trades: this.#histories > 0 ? HISTORY : 0,
      },
    };
    socket.send(JSON.stringify(request));
  }

  async #connect(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.state === "idle") this.state = "connecting";
    if (this.#opening) return;
    this.#opening = true;
    await refreshIfDue(); // the handshake says who is here
    this.#opening = false;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/v1/ws/live`);
    this.#socket = socket;
    this.#heardAt = performance.now();
    socket.addEventListener("open", () => {
      this.#send(socket);
    });
    socket.addEventListener("message", ({ data }) => {
      if (socket === this.#socket) this.#hear(JSON.parse(String(data)) as LiveMessage);
    });
    socket.addEventListener("close", ({ code }) => {
      if (socket !== this.#socket) return;
      this.#drop();
      // A stranger's may end since only members read from now on: an answer says so, which the client notes.
      if (code === POLICY_VIOLATION && this.#user === null)
        void get("/api/v1/tags").catch(() => undefined);
    });
  }

  #hear(message: LiveMessage): void {
    this.#heardAt = this.#saidAt = performance.now();
    this.asOf = now();
    switch (message.type) {
      case "now":
        this.#failures = 0;
        this.state = "live";
        message.events.forEach((event) => {
          this.#setEvent(event);
        });
        break;
      case "prices":
        // A message under way when the last watcher left: nothing would replace it any more.
        if (this.#pools.has(message.pool.pool_id))
          this.#pools.set(message.pool.pool_id, message.pool);
        break;
      case "state":
        this.#setEvent(message.event);
        this.#onState.forEach((call) => {
          call(message.event);
        });
        break;
      case "traders":
        for (const { event_id: id, traders } of message.events)
          if (this.#watched.has(id)) this.#traders.set(id, traders);
        break;
      case "own":
        this.#onOwn?.(message);
        break;
      case "trade":
        this.#onTrade.forEach((call) => {
          call(message.trade);
        });
    }
  }

  #setEvent(event: LiveEvent): void {
    if (!this.#watched.has(event.event_id)) return;
    this.#events.set(event.event_id, event);
    for (const pool of event.pools) this.#pools.set(pool.pool_id, pool);
  }

  /** Gives the socket up and tries again later: 0.5, 1, 2 … 30 s, each by a random half. */
  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    if (this.state === "live") this.state = "lost";
    if (!this.#isNeeded) return;
    const wait = Math.min(FIRST_WAIT_MS * 2 ** this.#failures++, LONGEST_WAIT_MS);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        void this.#connect();
      },
      wait * (0.5 + Math.random() / 2),
    );
  }

  #reconnectNow(): void {
    if (this.#timer !== undefined) void this.#connect();
  }

  /** A dead connection says nothing: after a quiet while, asks again, and drops what does not answer. */
  #checkQuiet(): void {
    if (this.#socket === null) return;
    const quiet = performance.now() - this.#heardAt;
    if (quiet > QUIET_MS + ANSWER_MS) this.#drop();
    else if (quiet > QUIET_MS && this.#socket.readyState === WebSocket.OPEN)
      this.#send(this.#socket);
  }
}

export const live = new Live();
