// What is picked on the axis of a number or a date. The chart, the slip and the bar of a phone share it.
import { queryText, queryValue, setQuery } from "../lib/query.ts";
import { router } from "../lib/router.svelte.ts";
import { outcomeOf, quantiles, type Axis } from "../lib/shapes.ts";
import type { PoolView } from "../screens/event/pool-view.svelte.ts";
import type { Belief } from "./belief.ts";

export const MODES = ["range", "curve", "sell"] as const;
export type Mode = (typeof MODES)[number];
/** What a sale leaves out. */
export const SALES = ["all", "outside"] as const;

/** What is dragged on a drawn axis: a range, or a curve. */
export interface Dragged {
  readonly mode: Mode;
  readonly sells: (typeof SALES)[number];
  readonly low: number;
  readonly high: number;
  readonly belief: Belief;
  /** `settled`: once a drag is over, it is kept. */
  pick(low: number, high: number, settled?: boolean): void;
  believe(belief: Belief, settled?: boolean): void;
}

export class RangeDesk implements Dragged {
  /** The range: outcomes from `low` to below `high`. Never all of them. */
  low = $state(0);
  high = $state(1);
  belief = $state.raw<Belief>({ low: 0, median: 0, high: 0 });
  /** Kopecks. */
  stake = $state<number | null>(null);
  readonly #count: number;

  /** `asked`: the outcome that the address names; -1 for none. */
  constructor(axis: Axis, probabilities: readonly number[], asked: number) {
    this.#count = axis.edges.length + 1;
    const [tenth = 0, fourth = 0, median = 0, high = 0, ninth = 0] = quantiles(axis, probabilities);
    this.belief = beliefIn(queryText("belief")) ?? { low: tenth, median, high: ninth };
    const [from, to] = [queryText("from"), queryText("to")];
    if (from !== "" || to !== "") this.pick(Number(from) || 0, Number(to) || this.#count, false);
    else if (asked >= 0) this.pick(asked, asked + 1, false);
    // Without a choice the ranges of the middle half.
    else this.pick(outcomeOf(axis, fourth), outcomeOf(axis, high) + 1, false);
  }

  /** `settled`: once a drag is over, it goes into the address. */
  pick(low: number, high: number, settled = true): void {
    const count = this.#count;
    this.low = Math.min(Math.max(0, Math.trunc(low)), count - 1);
    this.high = Math.min(Math.max(this.low + 1, Math.trunc(high)), count);
    if (this.high - this.low === count) this.high = count - 1;
    if (settled) setQuery({ from: String(this.low), to: String(this.high) });
  }

  /** `settled`: as of `pick`. */
  believe(belief: Belief, settled = true): void {
    this.belief = belief;
    const { low, median, high } = belief;
    if (settled) setQuery({ belief: [low, median, high].join("_") });
  }

  /** Keeps what is shown where nobody has chosen it: it followed from prices, which move. */
  pin(): void {
    if (queryText("from") === "" && queryText("to") === "") this.pick(this.low, this.high);
    if (this.mode === "curve" && queryText("belief") === "") this.believe(this.belief);
  }

  get mode(): Mode {
    return queryValue("mode", MODES, "range");
  }
  set mode(mode: Mode) {
    setQuery({ mode: mode === "range" ? "" : mode });
  }

  get sells(): (typeof SALES)[number] {
    return queryValue("sells", SALES, "all");
  }
  set sells(sells: (typeof SALES)[number]) {
    setQuery({ sells: sells === "all" ? "" : sells });
  }

  get picked(): number[] {
    return Array.from({ length: this.high - this.low }, (_, index) => this.low + index);
  }
}

function beliefIn(text: string): Belief | null {
  const [low, median, high, ...more] = text.split("_").map(Number);
  if (low === undefined || median === undefined || high === undefined || more.length > 0)
    return null;
  return [low, median, high].every(Number.isFinite) ? { low, median, high } : null;
}

/** The desk of a pool. It stays with the history entry. */
export function deskOf(view: PoolView, axis: Axis): RangeDesk {
  return router.keep(`desk ${String(view.pool.id)}`, () => {
    const prices = view.outcomes.map(({ probability }) => probability);
    const asked = view.outcome(Number(queryText("market")))?.index ?? -1;
    return new RangeDesk(axis, prices, asked);
  });
}
