// Short names for the messages of /api/v1/ws/live. All are absolute: the last one holds.
import type { components } from "./live-schema.d.ts";

type Messages = components["schemas"];
export type LiveEvent = Messages["LiveEvent"];
export type LiveOwn = Messages["LiveOwn"];
export type LiveMessage = Messages["LiveMessage"];
export type LivePool = Messages["LivePool"];
export type Trade = Messages["Trade"];
export type WatchRequest = Messages["WatchRequest"];
