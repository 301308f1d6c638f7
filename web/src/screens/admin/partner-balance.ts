import { get, type Schemas } from "../../api/client.ts";

/** A partner by its name: the list is the only place that says what a partner holds. */
export async function findPartner(
  name: string,
  signal: AbortSignal,
): Promise<Schemas["PartnerOverview"] | null> {
  let cursor: string | null = null;
  do {
    const query: { limit: number; cursor?: string } = { limit: 100, ...(cursor ? { cursor } : {}) };
    const page: Schemas["PartnerPage"] = await get("/api/v1/admin/partners", { query }, signal);
    const found = page.partners.find(({ partner }) => partner === name);
    if (found) return found;
    cursor = page.next_cursor;
  } while (cursor);
  return null;
}
