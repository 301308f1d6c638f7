// Pools whose outcomes are not a plain list have a page of their own, loaded with the first of them.
import type { Component } from "svelte";
import type { Schemas } from "../../api/client.ts";
import { withJointMessages, withShapeMessages } from "../../lib/i18n.ts";
import { jointOf } from "../../lib/joint.ts";
import type { Side } from "../../slip/target.ts";
import type { PoolView } from "./pool-view.svelte.ts";

export interface ShapedProps {
  page: Schemas["EventDetails"];
  view: PoolView;
  /** Why nothing can be traded, for the slip; null while it can. */
  halted: string | null;
  /** Shows the slip, of a side: opens it on phones. */
  onopen: (side?: Side) => void;
  /** Something was traded, or the pool's state is not what the page believes. */
  onchanged: () => unknown;
}

type Part = Component<ShapedProps>;

/** What a kind of pool shows in the places of its event's page. */
export interface ShapedParts {
  /** In the place of chart and outcomes; below 1080 pixels with what the reader holds. */
  Main: Part;
  /** In the rail: what the reader holds; nothing where that is nothing. */
  Held: Part;
  /** At the foot of a phone. */
  Bar: Part;
}

/** What loads the parts of a kind: all of its page, and its slip, in the rail or the sheet of a phone. */
interface Loaders {
  parts: () => Promise<{ default: ShapedParts }>;
  slip: () => Promise<{ default: Part }>;
}

const number: Loaders = {
  parts: () => withShapeMessages(import("../../number/parts.ts")),
  slip: () => withShapeMessages(import("../../number/Slip.svelte")),
};
const joint: Loaders = {
  parts: () => withJointMessages(import("../../joint/parts.ts")),
  slip: () => withJointMessages(import("../../joint/Slip.svelte")),
};

/** What loads the parts of a pool, always the same for a kind; null of a plain list or yes/no. */
export function shapedParts(view: PoolView): Loaders | null {
  if (view.axis) return number;
  return jointOf(view.pool) ? joint : null;
}
