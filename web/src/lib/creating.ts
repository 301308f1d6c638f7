// Who makes markets here, by the site's setting.
import type { User } from "./session.svelte.ts";
import { site } from "./site.ts";

/** Whether what a person makes waits for the site's team. */
export function suggests(user: Pick<User, "is_creator"> | null | undefined): boolean {
  return site.creators === "suggest" && !!user && !user.is_creator;
}

/** Whether a person may make markets, or suggest them. */
export function mayCreate(user: Pick<User, "is_creator"> | null | undefined): boolean {
  return !!user && (user.is_creator || site.creators !== "chosen");
}
