import type { components } from "../api/schema.d.ts";

type WhatWaits = components["schemas"]["WhatWaits"];

/** What may settle something that waits. */
const SETTLES = /\/api\/v1\/(admin|events|pools|series)\//;
/** The service counts no further. */
const MOST = 99;

/** How much waits for who is signed in: of what they can do something about. Kept up to date by layout/Waiting.svelte. */
class Waiting {
  /** null while it is not known, and for all others. */
  counts = $state.raw<WhatWaits | null>(null);
  /** Counts what may have changed it. */
  changes = $state(0);

  get chats(): number {
    return this.counts?.chats ?? 0;
  }

  get reports(): number {
    return this.counts?.reports ?? 0;
  }

  /** Also among what the administration lists. */
  get objections(): number {
    return this.counts?.objections ?? 0;
  }

  /** What the administration lists. */
  get attention(): number {
    return (this.counts?.attention ?? 0) + (this.counts?.suggestions ?? 0);
  }

  get total(): number {
    return this.chats + this.reports + this.attention;
  }

  /** Takes note of an answer. */
  note(request: Request, response: Response): void {
    if (request.method !== "GET" && response.ok && SETTLES.test(request.url)) this.touch();
  }

  /** Something may have changed. */
  touch(): void {
    this.changes++;
  }
}

export const waiting = new Waiting();

/** As a badge has it: "" for nothing. */
export function badge(count: number): string {
  if (count === 0) return "";
  return count > MOST ? `${String(MOST)}+` : String(count);
}
