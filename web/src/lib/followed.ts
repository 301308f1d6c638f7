// What the signed-in person follows.
import { answer, api, type Schemas } from "../api/client.ts";
import { loaded, type Loaded } from "./loading.svelte.ts";

/** Kept with the history entry; null for who is not signed in. Call it in `$derived`. */
export function followed(
  user: { id: number } | null | undefined,
): Loaded<Schemas["Following"]> | null {
  if (!user) return null;
  return loaded(`following ${String(user.id)}`, (signal) =>
    answer(api.GET("/api/v1/users/me/following", { signal })),
  );
}
