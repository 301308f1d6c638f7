// Endpoints of the contract that docs/openapi.json does not have yet. A path goes away from here with the commit that
// adds it there.
import type { components } from "./schema.d.ts";

type PublicUser = components["schemas"]["PublicUser"];

interface Get<Parameters, Answer> {
  get: {
    parameters: Parameters;
    responses: { 200: { content: { "application/json": Answer } } };
  };
}

/** What everybody may see of a person. */
export interface Person {
  user: PublicUser;
  created_at: string;
  realized_kopecks: number;
  volume_kopecks: number;
  trades: number;
  events: number;
}

export type Period = "week" | "month" | "all";

export interface Leader {
  rank: number;
  user: PublicUser;
  realized_kopecks: number;
  volume_kopecks: number;
  trades: number;
}

export interface LeaderPage {
  entries: Leader[];
  next_cursor: string | null;
  has_more: boolean;
}

export interface PendingPaths {
  "/api/v1/users/{id}": Get<{ path: { id: number } }, Person>;
  "/api/v1/leaderboard": Get<
    { query?: { period?: Period; limit?: number; cursor?: string } },
    LeaderPage
  >;
}
