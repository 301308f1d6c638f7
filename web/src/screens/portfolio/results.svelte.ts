// The pools of what is held, with their results: positions say nothing of one that can still be corrected.
import { SvelteMap } from "svelte/reactivity";
import { get, type Schemas } from "../../api/client.ts";

/** Of one request. */
const MOST_ASKED = 100;
const pools = new SvelteMap<number, Schemas["Pool"]>();

/** A pool as it was last asked for. Reactive. */
export function heldPool(id: number): Schemas["Pool"] | undefined {
  return pools.get(id);
}

/** Asks for pools anew, and waits. What cannot be had stays as it was. */
export async function askPools(ids: readonly number[]): Promise<void> {
  const wanted = ids.filter((id, index) => ids.indexOf(id) === index);
  const parts: number[][] = [];
  for (let from = 0; from < wanted.length; from += MOST_ASKED)
    parts.push(wanted.slice(from, from + MOST_ASKED));
  await Promise.all(
    parts.map(async (part) => {
      try {
        const found = await get("/api/v1/pools/batch", { query: { ids: part.join() } });
        for (const pool of found) pools.set(pool.id, pool);
      } catch {
        // The next time.
      }
    }),
  );
}
