import { answer, api, type Schemas } from "../api/client.ts";
import { session } from "./session.svelte.ts";

type Change = Schemas["ProfileChange"];

/** Changes what is named of one's own account; what is left out stays. */
export async function changeAccount(change: Partial<Change>): Promise<void> {
  session.set(await answer(api.PATCH("/api/v1/users/me", { body: change as Change })));
}
