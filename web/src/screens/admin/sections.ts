import type { User } from "../../lib/session.svelte.ts";

export const SECTIONS = [
  "attention",
  "stats",
  "people",
  "members",
  "partners",
  "prices",
  "log",
  "site",
] as const;
export type Section = (typeof SECTIONS)[number];

/** What a user's roles let them see; the service decides by the same rules. */
export function sectionsOf(user: User): Section[] {
  return SECTIONS.filter((section) => {
    if (section === "attention") return user.is_admin || user.is_operator;
    if (section === "stats") return user.is_stats_viewer || user.is_admin;
    return user.is_admin;
  });
}
