// Until when the results of closed events can change: cards do not say it, so it is asked for, of a list at once.
import { SvelteMap } from "svelte/reactivity";
import type { Card } from "../api/cards.ts";
import { get, type Schemas } from "../api/client.ts";
import { minutes } from "./clock.svelte.ts";
import { lastEnd } from "./results.ts";

type Pool = Pick<Schemas["Pool"], "resolution">;
const MOST = 1_000;
/** By event; none of an event that waits for a result. */
const ends = new SvelteMap<number, string>();

/** When the present results of an event are final; null while one is awaited. Reactive. */
export function finalAt(eventId: number): string | null {
  const end = ends.get(eventId);
  return end !== undefined && Date.parse(end) > minutes.now ? end : null;
}

/** Asks how the closed events among these cards stand, anew each time. Never fails. */
export async function needEnds(cards: readonly Card[]): Promise<void> {
  const closed = cards.filter(({ status }) => status === "closed");
  const single = closed.filter(({ pools }) => pools === 1);
  const several = closed.filter(({ pools }) => pools > 1);
  try {
    const [batch, ...events] = await Promise.all([
      single.length > 0
        ? get("/api/v1/pools/batch", {
            query: { ids: single.map((one) => one.pool.pool_id).join() },
          })
        : [],
      ...several.map(({ event_id }) => get("/api/v1/events/{event_id}", { path: { event_id } })),
    ]);
    for (const pool of batch) {
      const card = single.find((one) => one.pool.pool_id === pool.id);
      if (card) note(card.event_id, [pool]);
    }
    for (const { id, pools } of events) note(id, pools);
  } catch {
    // Then they are awaited, as far as is known.
  }
}

function note(eventId: number, pools: readonly Pool[]): void {
  const end = lastEnd(pools);
  if (ends.size >= MOST) ends.delete(ends.keys().next().value ?? 0);
  if (end === null) ends.delete(eventId);
  else ends.set(eventId, end);
}
