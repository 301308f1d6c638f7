// Until when the results of closed events can change: cards do not say it, so it is asked for, of a list at once.
import { SvelteMap } from "svelte/reactivity";
import type { Card } from "../../api/cards.ts";
import { get, type Schemas } from "../../api/client.ts";
import { minutes } from "../../lib/clock.svelte.ts";

/** By event; null of one that waits for a result. */
const ends = new SvelteMap<number, string | null>();

/** When the present results of an event are final; null while one is awaited. Reactive. */
export function finalAt(eventId: number): string | null {
  const end = ends.get(eventId);
  return end && Date.parse(end) > minutes.now ? end : null;
}

/** When the last of these pools is final; null where one has no result, or none is to come. */
export function lastEnd(pools: readonly Pick<Schemas["Pool"], "resolution">[]): string | null {
  const ends = pools.map(
    ({ resolution: one }) => one.decided_at && (one.held_until ?? one.disputable_until ?? ""),
  );
  return ends.includes(null) ? null : ends.toSorted().at(-1) || null;
}

/** Asks how the closed events among these cards stand, anew each time. Never fails. */
export async function needEnds(cards: readonly Card[]): Promise<void> {
  const closed = cards.filter(({ status }) => status === "closed");
  const single = closed.filter(({ pools }) => pools === 1);
  const several = closed.filter(({ pools }) => pools > 1);
  const ids = single.map(({ pool }) => pool.pool_id).join();
  try {
    const [batch, ...events] = await Promise.all([
      ids ? get("/api/v1/pools/batch", { query: { ids } }) : [],
      ...several.map(({ event_id }) => get("/api/v1/events/{event_id}", { path: { event_id } })),
    ]);
    for (const { event_id, pool } of single) {
      const found = batch.find(({ id }) => id === pool.pool_id);
      if (found) ends.set(event_id, lastEnd([found]));
    }
    for (const { id, pools } of events) ends.set(id, lastEnd(pools));
  } catch {
    // Then they are awaited, as far as is known.
  }
}
