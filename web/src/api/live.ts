// The messages of /api/v1/ws/live. All are absolute: the last one holds.
import type { Card } from "./cards.ts";

export interface LivePool {
  pool_id: number;
  paused: boolean;
  won_side: number | null;
  /** Of YES, by outcome_index; one of a yes/no pool. */
  probabilities: number[];
  volume_kopecks: number;
  trades: number;
}

export interface LiveEvent {
  event_id: number;
  status: Card["status"];
  comments: number;
  pools: LivePool[];
}

export interface Trade {
  id: number;
  event_id: number;
  pool_id: number;
  market_id: number;
  user: { id: number | null; name: string; avatar_url: string };
  action: "buy" | "sell";
  token_type: "YES" | "NO";
  amount_kopecks: number;
  shares: number;
  avg_price: number;
  probability_before: number;
  probability_after: number;
  created_at: string;
}

export type LiveMessage =
  | { type: "now"; events: LiveEvent[] }
  | { type: "prices"; pool: LivePool }
  | { type: "state"; event: LiveEvent }
  | { type: "trade"; trade: Trade };
