// The comments written last: loaded where the answer to one's own was lost.
import { get, type Schemas } from "../api/client.ts";

const AT_ONCE = 100;

/** Those of an event down to a moment; of a thread, all replies: they come oldest first. */
export async function newest(
  eventId: number,
  parentId: number | undefined,
  since: number,
): Promise<Schemas["Comment"][]> {
  const found: Schemas["Comment"][] = [];
  if (parentId !== undefined) {
    for (;;) {
      const query = { limit: AT_ONCE, offset: found.length };
      const page = await get("/api/v1/comments/{comment_id}/replies", {
        path: { comment_id: parentId },
        query,
      });
      found.push(...page.comments);
      if (page.comments.length < AT_ONCE) return found;
    }
  }
  let cursor: string | null = null;
  do {
    const query = { sort: "new" as const, limit: AT_ONCE, ...(cursor ? { cursor } : {}) };
    const page: Schemas["CommentPage"] = await get("/api/v1/events/{event_id}/comments", {
      path: { event_id: eventId },
      query,
    });
    found.push(...page.comments);
    cursor = page.next_cursor;
  } while (cursor !== null && Date.parse(found.at(-1)?.created_at ?? "") > since);
  return found;
}
