// Who speaks in a discussion.
import { createContext } from "svelte";
import type { Mention } from "../../lib/mentions.ts";

/** The authors of what a discussion shows, by id. */
export const [talkers, setTalkers] = createContext<Map<number, Mention["user"]>>();
