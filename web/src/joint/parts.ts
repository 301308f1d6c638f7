// The page of questions that are asked together.
import type { ShapedParts } from "../screens/event/shaped.ts";
import Bar from "./Bar.svelte";
import Held from "./Held.svelte";
import Main from "./Main.svelte";

const parts: ShapedParts = { Main, Held, Bar };
export default parts;
