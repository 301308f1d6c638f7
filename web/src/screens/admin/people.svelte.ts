// Names of the people in the log, who stand there as ids ("user:17").
import { SvelteMap } from "svelte/reactivity";
import { get, type Schemas } from "../../api/client.ts";
import { t } from "../../lib/i18n.ts";
import { money } from "../../lib/money.ts";

const MOST = 1_000;
/** By id; "" while it is asked for, and of an account that shows no name. */
const names = new SvelteMap<number, string>();

const idIn = (who: string) => Number(/^user:(\d+)$/.exec(who)?.[1] ?? 0);

/** Asks for the names of everybody in these entries, once each. Never fails. */
export function needPeople(entries: Iterable<Schemas["AdminLogEntry"]>): void {
  for (const { who, target, details } of entries)
    for (const id of [idIn(who), idIn(target), idOf(details.user_id)]) void need(id);
}

async function need(id: number): Promise<void> {
  if (id === 0 || names.has(id)) return;
  if (names.size >= MOST) names.delete(names.keys().next().value ?? 0);
  names.set(id, "");
  try {
    const person = await get("/api/v1/users/{id}", { path: { id } });
    names.set(id, person.user.name);
  } catch {
    // A partner's user, or no connection: the id says enough, and a later page asks again.
    names.delete(id);
  }
}

/** Who it is, as people read it: "Ann (user:17)", and "user:17" until the name is known. Reactive. */
export function called(who: string): string {
  if (who === "command line") return t("admin.command_line");
  const name = names.get(idIn(who));
  return name ? `${name} (${who})` : who;
}

const KOPECKS = /_kopecks$/;

/** An entry's details in one line. Reactive. */
export function written(details: Record<string, unknown>): string {
  return Object.entries(details)
    .map(([key, value]) => {
      if (typeof value === "number" && KOPECKS.test(key))
        return `${key.replace(KOPECKS, "")}: ${money(value, { as: "short" })}`;
      return `${key}: ${key === "user_id" ? person(value) : plain(value)}`;
    })
    .join(" · ");
}

function person(value: unknown): string {
  const id = idOf(value);
  return id ? called(`user:${id}`) : plain(value);
}

const idOf = (value: unknown) => (typeof value === "number" ? value : 0);
const plain = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
