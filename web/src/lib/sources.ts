// Where the result of a pool will stand.
import type { Schemas } from "../api/client.ts";

/** Its addresses; what was stored before they were checked may be anything. */
export function sourcesOf(pool: Pick<Schemas["Pool"], "metadata">): string[] {
  const sources: unknown = pool.metadata.sources;
  if (!Array.isArray(sources)) return [];
  return sources.filter(
    (one): one is string => typeof one === "string" && /^https?:\/\//i.test(one),
  );
}

/** An address as a link shows it: without what every one begins with. */
export function shortAddress(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/i, "").replace(/\/$/, "");
}
