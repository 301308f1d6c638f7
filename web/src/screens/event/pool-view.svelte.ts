// A pool of an event as it is now: what the page's answer says, then what the live socket brings.
import type { Schemas } from "../../api/client.ts";
import { seconds } from "../../lib/clock.svelte.ts";
import { language, localName } from "../../lib/i18n.ts";
import { live } from "../../lib/live.svelte.ts";
import { marketNames } from "../../lib/market-names.ts";
import { axisOf } from "../../lib/shapes.ts";
import { outcomeColour } from "../../lib/outcomes.ts";
import type { Holding, Side, SlipTarget } from "../../slip/target.ts";
import { phaseOf, type Phase } from "./phase.ts";
import { localRules } from "./texts.ts";

type HeldPosition = Schemas["Position"];

/** An outcome, with what it pays once that is known. */
export interface Outcome {
  marketId: number;
  index: number;
  /** "" of a yes/no pool: the question is its name. */
  name: string;
  /** Of a side of a match; "" without one. */
  picture: string;
  colour: string;
  /** Of YES. */
  probability: number;
  before: number;
  /** The market maker's liquidity parameter, kopecks. */
  b: number;
  /** What a YES share pays, 0…1; null while open, and of a void. */
  payout: number | null;
  held: Partial<Record<Side, HeldPosition>>;
  /** Of a list: whether it is Other, out of which others are taken. */
  isOther: boolean;
  /** When it was taken out of Other, Unix milliseconds; null for those of the start. */
  addedAt: number | null;
}

export class PoolView {
  readonly #page: () => Schemas["EventDetails"];
  readonly #id: () => number;
  readonly #askedAt: () => number;
  readonly #isBarred: () => boolean;

  /** `askedAt`: when the page was asked for; `isBarred`: whether the reader may not trade here. */
  constructor(
    page: () => Schemas["EventDetails"],
    askedAt: () => number,
    id: () => number,
    isBarred: () => boolean,
  ) {
    this.#page = page;
    this.#askedAt = askedAt;
    this.#id = id;
    this.#isBarred = isBarred;
  }

  readonly pool = $derived.by((): Schemas["Pool"] => {
    const { pools, main_pool_index: main } = this.#page().event;
    const found = pools.find(({ id }) => id === this.#id()) ?? pools[main] ?? pools[0];
    if (!found) throw new Error("an event has a pool");
    return found;
  });
  readonly about = $derived.by((): Schemas["PoolDetails"] | undefined =>
    this.#page().pools.find(({ pool_id }) => pool_id === this.pool.id),
  );
  readonly #now = $derived.by(() => live.pool(this.pool.id, this.#askedAt()));
  /** Of the event; undefined where the page is newer. */
  readonly liveEvent = $derived.by(() => live.event(this.#page().event.id, this.#askedAt()));

  /** Of a number or a date whose ranges are known. */
  readonly axis = $derived.by(() => axisOf(this.pool));
  /** Of a list: the outcome_index of Other, out of which others are taken; null of other pools. */
  readonly other = $derived.by(() => this.pool.other);
  /** Of the event, Unix milliseconds; null before. */
  readonly publishedAt = $derived.by(() => {
    const { published_at } = this.#page();
    return published_at === null ? null : Date.parse(published_at);
  });
  readonly isYesNo = $derived(this.pool.markets.length === 1);
  readonly rules = $derived(localRules(this.pool, language));
  readonly volumeKopecks = $derived(this.#now?.volume_kopecks ?? this.about?.volume_kopecks ?? 0);
  readonly trades = $derived(this.#now?.trades ?? this.about?.trades ?? 0);

  readonly phase = $derived.by((): Phase =>
    phaseOf(
      {
        status: this.liveEvent?.status ?? this.#page().event.status,
        paused: this.#now?.paused ?? this.about?.paused ?? false,
        wonSide: this.#now ? this.#now.won_side : this.pool.won_side,
        state: this.pool.resolution.state,
        liveAt: this.pool.live_at,
        finishAt: this.pool.finish_at,
      },
      seconds.now,
    ),
  );
  /** Whether the reader may trade now. */
  readonly isOpen = $derived.by(() => this.phase === "open" && !this.#isBarred());
  /** Whether prices may still move. */
  readonly isLive = $derived(["new", "soon", "open", "paused"].includes(this.phase));
  /** Whether the reader may wait for a price. */
  readonly mayAlert = $derived(["soon", "open"].includes(this.phase));
  readonly isVoid = $derived(
    this.pool.resolution.decided_at !== null && this.pool.resolution.payouts === null,
  );

  readonly outcomes = $derived.by((): Outcome[] => {
    const names = marketNames(this.pool);
    const { payouts } = this.pool.resolution;
    const { versus_names: sides, versus_images: pictures } = this.#page().event;
    const splits = this.pool.splits;
    return this.pool.markets.map((market) => {
      const index = market.outcome_index;
      const split = splits.find((one) => one.outcome_index === index);
      const probability = this.#now?.probabilities[index] ?? market.yes_probability;
      return {
        marketId: market.id,
        index,
        name: this.isYesNo ? "" : (names[index] ?? market.name),
        picture: pictures[sides.indexOf(market.name)] ?? "",
        colour: this.isYesNo ? "var(--yes)" : outcomeColour(index),
        probability,
        before: this.about?.probabilities_24h[index] ?? probability,
        b: market.b,
        payout: payouts?.[index] ?? null,
        held: this.#held(market.id),
        isOther: index === this.other,
        addedAt: split ? Date.parse(split.at) : null,
      };
    });
  });

  /** Outcomes that this page does not know were taken out of Other meanwhile. */
  readonly isBehind = $derived.by(
    () => (this.#now?.probabilities.length ?? 0) > this.pool.markets.length,
  );

  /** The outcomes by their chances when the page was made: a live price moves no button away under a finger. Other is last, unless it is paid. */
  readonly order = $derived.by((): number[] => {
    const { other, pool } = this;
    const { resolution } = pool;
    const chance = ({ outcome_index: index, yes_probability }: Schemas["Market"]) => {
      const { payouts } = resolution;
      const isPaid = (payouts?.[index] ?? 0) > 0;
      if (index === other && !isPaid) return -1;
      return payouts ? (payouts[index] ?? 0) : yes_probability;
    };
    return this.pool.markets
      .toSorted((one, other) => chance(other) - chance(one))
      .map(({ outcome_index }) => outcome_index);
  });

  readonly positions = $derived.by((): HeldPosition[] => {
    return this.#page().positions.filter(({ pool_id }) => pool_id === this.pool.id);
  });

  /** By outcome_index. */
  readonly names = $derived.by((): string[] => marketNames(this.pool));

  outcome(marketId: number): Outcome | undefined {
    return this.outcomes.find((one) => one.marketId === marketId);
  }

  /** What to call an outcome where its pool is not in sight. */
  nameOf(outcome: Outcome): string {
    return outcome.name || this.question;
  }

  /** The question: of an event with several pools, the pool's name. */
  readonly question = $derived.by(() => {
    const { event } = this.#page();
    return event.pools.length > 1 ? localName(this.pool) : localName(event);
  });

  #held(marketId: number): Partial<Record<Side, HeldPosition>> {
    const mine = this.#page().positions.filter(({ market_id }) => market_id === marketId);
    return Object.fromEntries(mine.map((position) => [position.token_type, position]));
  }
}

function holdings(outcome: Outcome): Partial<Record<Side, Holding>> {
  return Object.fromEntries(
    Object.entries(outcome.held).map(([side, position]) => [
      side,
      {
        shares: position.amount,
        reserved: position.reserved_shares ?? 0,
        costKopecks: position.cost_kopecks,
      },
    ]),
  );
}

/** An outcome as the slip trades it. */
export function slipTarget(
  { event }: Schemas["EventDetails"],
  view: PoolView,
  outcome: Outcome,
  halted: string | null,
): SlipTarget {
  return {
    eventId: event.id,
    eventName: localName(event),
    poolId: view.pool.id,
    marketId: outcome.marketId,
    name: view.nameOf(outcome),
    colour: outcome.colour,
    probability: outcome.probability,
    b: outcome.b,
    margin: view.pool.margin,
    halted,
    held: holdings(outcome),
    list: view.other === null ? null : { names: view.names, isOther: outcome.isOther },
  };
}
