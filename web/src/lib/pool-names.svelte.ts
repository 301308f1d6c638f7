// Russian names of outcomes that a list only names in English: asked for by pool, all of the list at once.
import { SvelteMap } from "svelte/reactivity";
import { answer, api } from "../api/client.ts";
import { language } from "./i18n.ts";
import { marketNames } from "./market-names.ts";

/** Of one request. */
const MOST_ASKED = 100;
const MOST_KEPT = 1_000;
/** By pool; null while they are asked for, and of a pool that nobody is told of. */
const names = new SvelteMap<number, string[] | null>();

/** Asks for the names of these pools' outcomes, and waits for them. English ones are known. Never fails. */
export async function needPools(ids: Iterable<number>): Promise<void> {
  if (language === "en") return;
  const wanted: number[] = [];
  for (const id of ids) if (!names.has(id) && !wanted.includes(id)) wanted.push(id);
  const parts: number[][] = [];
  for (let from = 0; from < wanted.length; from += MOST_ASKED)
    parts.push(wanted.slice(from, from + MOST_ASKED));
  await Promise.all(parts.map(ask));
}

async function ask(ids: number[]): Promise<void> {
  for (const id of ids) {
    if (names.size >= MOST_KEPT) names.delete(names.keys().next().value ?? 0);
    names.set(id, null);
  }
  try {
    const query = { ids: ids.join() };
    const pools = await answer(api.GET("/api/v1/pools/batch", { params: { query } }));
    for (const pool of pools) names.set(pool.id, marketNames(pool));
  } catch {
    for (const id of ids) names.delete(id);
  }
}

/** What an outcome is called here; as it was given until its pool is known. Reactive. */
export function marketName(
  poolId: number,
  { outcome_index, name }: { outcome_index: number; name: string },
): string {
  return names.get(poolId)?.[outcome_index] ?? name;
}
