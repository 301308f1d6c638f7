// Outcomes taken out of Other, as the service takes them.
import { answer, api } from "../api/client.ts";

export interface NewOutcome {
  name: string;
  name_ru: string;
  /** What part of Other it is, 0.01 … 0.99. */
  share: number;
  /** Where it is expected to start. */
  probability: number;
}

// Until the service's description names it, its type stands here.
const post = api.POST as unknown as (
  path: string,
  options: object,
) => Promise<{ data?: object; response: Response }>;

export async function addOutcome(poolId: number, body: NewOutcome): Promise<object> {
  return answer(post(`/api/v1/pools/${String(poolId)}/outcomes`, { body }));
}

/** The most that the house can lose if Other wins, kopecks; null where only its runner may know. */
export function houseBound(about: { house?: object | null } | undefined): number | null {
  const house = (about?.house ?? {}) as { other_bound_kopecks?: number | null };
  return house.other_bound_kopecks ?? null;
}
