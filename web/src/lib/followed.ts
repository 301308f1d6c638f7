// What the signed-in person follows.
import type { Schemas } from "../api/client.ts";
import type { Loaded } from "./loading.svelte.ts";
import { read } from "./reading.ts";

/** Kept with the history entry; null for who is not signed in. Call it in `$derived`. */
export function followed(
  user: { id: number } | null | undefined,
): Loaded<Schemas["Following"]> | null {
  if (!user) return null;
  return read(`following ${String(user.id)}`, "/api/v1/users/me/following");
}
