import { answer, api, get, type Schemas } from "../api/client.ts";
import { ApiError } from "../api/errors.ts";
import type { LiveOwn } from "../api/live.ts";
import { refreshIfDue, sessionUntil } from "../api/tokens.ts";
import { router } from "./router.svelte.ts";
import { zone } from "./zone.svelte.ts";

export type User = Schemas["User"];

/** Who is signed in here, the same in every tab. */
class Session {
  /** null: nobody; undefined: not known yet. */
  user = $state.raw<User | null | undefined>(sessionUntil() === null ? null : undefined);
  /** Counts questions and news. An answer is as old as its question: what is newer than that holds. */
  #count = 0;
  #userAt = 0;
  #balanceAt = 0;
  /** What was last heard of their money and positions. */
  #own: LiveOwn | null = null;
  readonly #onChanged = new Set<() => void>();
  readonly #onSwitched = new Set<() => void>();
  readonly #tabs = "BroadcastChannel" in globalThis ? new BroadcastChannel("session") : null;

  /** Begins to keep the session alive. */
  start(): void {
    if (this.user === undefined) void this.load();
    this.#tabs?.addEventListener("message", () => void this.load());
    setInterval(() => void refreshIfDue(), 30_000);
    addEventListener("focus", () => void refreshIfDue());
    addEventListener("online", () => void this.load());
  }

  /** Asks who is signed in, with roles and balance. */
  load = async (): Promise<void> => {
    if (sessionUntil() === null) {
      this.#become(null);
      return;
    }
    const asked = ++this.#count;
    try {
      const user = await get("/api/v1/users/me");
      const isSpent = asked < this.#balanceAt && this.user?.id === user.id;
      const kept = isSpent && this.user ? { balance_kopecks: this.user.balance_kopecks } : {};
      this.#become({ ...user, ...kept }, asked);
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.status === 401) this.#become(null, asked);
    }
  };

  /** What the one before was shown is not kept for the next one: Back would show it. */
  #become(user: User | null, at = ++this.#count): void {
    if (at < this.#userAt) return;
    this.#userAt = at;
    const isOther = this.user?.id !== user?.id;
    if (this.user && isOther) router.forget();
    if (isOther) this.#own = null;
    this.user = user;
    zone.set(user?.time_zone);
    if (isOther) for (const call of this.#onSwitched) call();
  }

  /** Calls back when another person, or nobody any longer, is signed in. */
  switched(call: () => void): void {
    this.#onSwitched.add(call);
  }

  /** Takes over what the service says they have. Of what this tab has done itself it knows already. */
  hear(own: LiveOwn): void {
    const isKnown =
      this.user?.balance_kopecks === own.balance_kopecks &&
      (this.#own ?? own).realized_kopecks === own.realized_kopecks;
    this.#own = own;
    if (isKnown) return;
    this.setBalance(own.balance_kopecks);
    this.#onChanged.forEach((call) => {
      call();
    });
  }

  /** Calls back where the money or the positions have changed elsewhere: a credit, a payout, an order in another tab. */
  changed(call: () => void): () => void {
    this.#onChanged.add(call);
    return () => this.#onChanged.delete(call);
  }

  /** Takes over the user of an answer: sign-in, sign-up, a changed profile. */
  set(user: User): void {
    const isOther = user.id !== this.user?.id;
    this.#become(user);
    if (isOther) this.#tabs?.postMessage("changed");
  }

  /** The balance as an order's answer gave it. */
  setBalance(kopecks: number): void {
    if (!this.user) return;
    this.#balanceAt = ++this.#count;
    this.user = { ...this.user, balance_kopecks: kopecks };
  }

  async signOut(): Promise<void> {
    try {
      await answer(api.DELETE("/api/v1/auth/logout"));
    } catch (thrown) {
      if (!(thrown instanceof ApiError && thrown.status === 401)) throw thrown;
    }
    this.#become(null);
    this.#tabs?.postMessage("changed");
  }
}

export const session = new Session();
