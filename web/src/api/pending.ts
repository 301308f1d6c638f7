// Endpoints of the contract that docs/openapi.json does not have yet. A path goes away from here with the commit that
// adds it there.
interface Get<Query, Answer> {
  get: {
    parameters: { query?: Query };
    responses: { 200: { content: { "application/json": Answer } } };
  };
}

export interface Card {
  event_id: number;
  name: string;
  name_ru: string;
  tags: string[];
  image_url: string;
  status: "new" | "active" | "closed" | "resolved" | "cancelled";
  published_at: string | null;
  finish_at: string | null;
  resolved_at: string | null;
  volume_kopecks: number;
  volume_24h_kopecks: number;
  traders: number;
  comments: number;
  pools: number;
  pool: CardPool;
}

/** The main pool of a card. */
export interface CardPool {
  pool_id: number;
  name: string;
  name_ru: string;
  live_at: string | null;
  finish_at: string | null;
  paused: boolean;
  won_side: number | null;
  outcomes: number;
  /** At most four outcomes, the likeliest first. */
  top: CardOutcome[];
  /** Probabilities of top[0], one for each 6 h. */
  spark: number[];
}

export interface CardOutcome {
  market_id: number;
  outcome_index: number;
  name: string;
  probability: number;
  probability_24h: number;
}

export type CardSort = "trending" | "new" | "volume" | "closing" | "moved";

export interface CardQuery {
  status?: Card["status"] | "all";
  tag?: string;
  q?: string;
  creator?: string;
  sort?: CardSort;
  limit?: number;
  cursor?: string;
}

export interface CardPage {
  cards: Card[];
  next_cursor: string | null;
  has_more: boolean;
}

export interface Tags {
  tags: { tag: string; active: number }[];
}

export interface PendingPaths {
  "/api/v1/cards": Get<CardQuery, CardPage>;
  "/api/v1/tags": Get<never, Tags>;
}
