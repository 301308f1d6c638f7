// Russian names of outcomes that a list only names in English, axes of numbers and dates, questions that are asked
// together: asked for by pool, all of the list at once.
import { SvelteMap } from "svelte/reactivity";
import { get } from "../api/client.ts";
import { language } from "./i18n.ts";
import { jointOf, type JointQuestion } from "./joint.ts";
import { marketNames } from "./market-names.ts";
import { axisOf, type Axis } from "./shapes.ts";

/** Of one request. */
const MOST_ASKED = 100;
const MOST_KEPT = 1_000;
interface Known {
  names: string[];
  axis: Axis | null;
  questions: JointQuestion[] | null;
}
/** By pool; null while they are asked for, and of a pool that nobody is told of. */
const pools = new SvelteMap<number, Known | null>();

/** Asks for the names of these pools' outcomes, and waits for them. English ones are known. Never fails. */
export async function needPools(ids: Iterable<number>): Promise<void> {
  if (language !== "en") await needAxes(ids);
}

/** Asks for the axes of these pools, and their names with them, and waits. Never fails. */
export async function needAxes(ids: Iterable<number>): Promise<void> {
  const wanted: number[] = [];
  for (const id of ids) if (!pools.has(id) && !wanted.includes(id)) wanted.push(id);
  const parts: number[][] = [];
  for (let from = 0; from < wanted.length; from += MOST_ASKED)
    parts.push(wanted.slice(from, from + MOST_ASKED));
  await Promise.all(parts.map(ask));
}

async function ask(ids: number[]): Promise<void> {
  for (const id of ids) {
    if (pools.size >= MOST_KEPT) pools.delete(pools.keys().next().value ?? 0);
    pools.set(id, null);
  }
  try {
    const query = { ids: ids.join() };
    const found = await get("/api/v1/pools/batch", { query });
    for (const pool of found)
      pools.set(pool.id, {
        names: marketNames(pool),
        axis: axisOf(pool),
        questions: jointOf(pool),
      });
  } catch {
    for (const id of ids) pools.delete(id);
  }
}

/** What an outcome is called here; as it was given until its pool is known. Reactive. */
export function marketName(
  poolId: number,
  { outcome_index, name }: { outcome_index: number; name: string },
): string {
  return pools.get(poolId)?.names[outcome_index] ?? name;
}

/** The axis of a number or a date; null until it is known. Reactive. */
export function poolAxis(poolId: number): Axis | null {
  return pools.get(poolId)?.axis ?? null;
}

/** The questions that a pool asks together; null of another pool, and until they are known. Reactive. */
export function poolQuestions(poolId: number): JointQuestion[] | null {
  return pools.get(poolId)?.questions ?? null;
}
