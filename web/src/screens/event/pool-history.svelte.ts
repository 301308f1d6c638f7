// A pool's prices over time as its charts show them: from its priors at publication, on with what is traded, to its
// result. The range that is chosen stands in the address.
import type { Schemas } from "../../api/client.ts";
import {
  CHART_RANGES,
  isFlat,
  lastPart,
  rangesOf,
  type ChartRange,
} from "../../lib/chart-ranges.ts";
import { minutes } from "../../lib/clock.svelte.ts";
import { live } from "../../lib/live.svelte.ts";
import { queryText, setQuery } from "../../lib/query.ts";
import { read } from "../../lib/reading.ts";
import type { PoolView } from "./pool-view.svelte.ts";
import { tradingEnd } from "./phase.ts";

type Point = Schemas["PoolChartPoint"];

interface Wanted {
  /** What the points hold: the prices, or of a number or a date its quantiles. */
  as?: "quantiles";
  /** The same of the prices of one moment; without it the chart is asked for anew after each trade. */
  of?: (prices: number[]) => number[];
  /** The same of the result; null of a void. */
  result: () => number[] | null;
  /** Whether the whole life is shown, whatever is chosen. */
  isWhole?: () => boolean;
}

export class PoolHistory {
  readonly #view: () => PoolView;
  readonly #wanted: Wanted;
  /** What was traded since the chart was asked for. */
  #added = $state.raw<Point[]>([]);

  /** Make it with a component: it follows the trades as long as that is there. */
  constructor(view: () => PoolView, wanted: Wanted) {
    this.#view = view;
    this.#wanted = wanted;
    $effect(() => {
      void this.#poolId;
      this.#added = [];
    });
    $effect(() =>
      live.trades((trade) => {
        if (trade.pool_id !== this.#poolId) return;
        if (!wanted.of) {
          void this.chart.reload();
          return;
        }
        const prices = view().outcomes.map(({ probability }) => probability);
        const traded = view().outcomes.findIndex(({ marketId }) => marketId === trade.market_id);
        prices[traded] = trade.probability_after;
        const values = wanted.of(prices);
        this.#added = [...this.#added, { timestamp: trade.created_at, values }];
      }),
    );
  }

  readonly #poolId = $derived.by(() => this.#view().pool.id);
  /** When the result was given, Unix milliseconds; null before. */
  readonly resolvedAt = $derived.by(() => {
    const { decided_at } = this.#view().pool.resolution;
    return decided_at === null ? null : Date.parse(decided_at);
  });
  /** Until when prices moved, Unix milliseconds; null while they may. */
  readonly #tradedUntil = $derived.by(() => {
    if (this.#view().isLive) return null;
    const { finish_at, resolution } = this.#view().pool;
    const known = [finish_at, tradingEnd(resolution)].filter((end) => end !== null);
    return known.length > 0 ? Math.min(...known.map((end) => Date.parse(end))) : null;
  });
  /** What lies behind: until the result, the end, or now. */
  readonly #endedAt = $derived(this.resolvedAt ?? this.#tradedUntil);

  // As a text: it is the same while nothing changes.
  readonly #names = $derived.by(() => {
    const { publishedAt } = this.#view();
    return publishedAt === null ? "" : rangesOf(publishedAt, this.#endedAt ?? minutes.now).join();
  });
  readonly ranges = $derived(CHART_RANGES.filter((one) => this.#names.split(",").includes(one)));
  readonly #week = $derived(
    this.#endedAt === null && this.ranges.includes("1w") ? this.#read("1w") : null,
  );
  /** Where none is chosen: the last week; all of what is over, younger, or has not moved for a week. */
  readonly #usual = $derived.by((): ChartRange => {
    const points = this.#week?.data?.["1w"];
    return this.#week === null || (points && isFlat(points)) ? "all" : "1w";
  });
  readonly range = $derived.by((): ChartRange => {
    if (this.#wanted.isWhole?.()) return "all";
    const chosen = queryText("range");
    return this.ranges.find((one) => one === chosen) ?? this.#usual;
  });

  choose(range: ChartRange): void {
    setQuery({ range: range === this.#usual ? "" : range });
  }

  /** The chart of time of what has ended ends now, not then: that is a part of the whole life. */
  readonly #asked = $derived(this.#endedAt === null ? this.range : "all");
  readonly chart = $derived.by(() => this.#read(this.#asked));

  #read(range: ChartRange) {
    const id = this.#poolId;
    const { as } = this.#wanted;
    return read(`chart ${String(id)} ${range} ${as ?? ""}`, "/api/v1/pools/{pool_id}/charts", {
      path: { pool_id: id },
      query: { range, ...(as ? { as } : {}) },
    });
  }

  /** Null while they are not there. */
  readonly points = $derived.by((): readonly Point[] | null => {
    const asked = this.chart.data?.[this.#asked];
    if (!asked) return null;
    const newest = Date.parse(asked.at(-1)?.timestamp ?? "");
    const added = this.#added.filter(({ timestamp }) => Date.parse(timestamp) > newest);
    const all = [...asked, ...added];
    const until = this.resolvedAt ?? this.#tradedUntil ?? this.chart.loadedAt;
    const last = all.at(-1);
    if (last && until > Date.parse(last.timestamp)) all.push(at(until, last.values));
    if (this.resolvedAt !== null && last)
      all.push(at(this.resolvedAt, this.#wanted.result() ?? last.values));
    return this.#endedAt === null ? all : lastPart(all, this.range, this.#endedAt);
  });
}

function at(time: number, values: number[]): Point {
  return { timestamp: new Date(time).toISOString(), values };
}
