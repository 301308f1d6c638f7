// The one way to the service. Calls read: `await get("/api/v1/tags")`, `await answer(api.POST("/api/v1/pools", { body }))`.
import createClient, { type ClientPathsWithMethod, type MethodResponse } from "openapi-fetch";
import { connection } from "../lib/connection.svelte.ts";
import { noteServerTime } from "../lib/clock.svelte.ts";
import { members } from "../lib/members.svelte.ts";
import { waiting } from "../lib/waiting.svelte.ts";
import { asApiError, errorOf, isAbort } from "./errors.ts";
import type { components, paths } from "./schema.d.ts";
import { refreshIfDue, refreshNow } from "./tokens.ts";

export type Schemas = components["schemas"];

// Where an answer comes as CSV, too, the client asks for JSON.
export const api = createClient<paths, "application/json">({ fetch: fetchInSession });

interface Result<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** The answer of a call. Throws ApiError where the service refuses or cannot be reached. */
export async function answer<Data>(call: Promise<Result<Data>>): Promise<Data> {
  let result: Result<Data>;
  try {
    result = await call;
  } catch (thrown) {
    if (isAbort(thrown)) throw thrown;
    throw asApiError(thrown);
  }
  if (!result.response.ok) throw errorOf(result.response, result.error);
  return result.data as Data;
}

export type Path = ClientPathsWithMethod<typeof api, "get">;
export type Data<P extends Path> = MethodResponse<typeof api, "get", P>;
type About<P extends Path> = paths[P]["get"]["parameters"];
/** Of the path and the query. What is undefined is left out of the query. */
export type Params<P extends Path> = Omit<About<P>, "query"> & {
  query?: {
    [Name in keyof NonNullable<About<P>["query"]>]:
      NonNullable<About<P>["query"]>[Name] | undefined;
  };
};
export type Asked<P extends Path> =
  object extends Params<P>
    ? [params?: Params<P>, signal?: AbortSignal]
    : [params: Params<P>, signal?: AbortSignal];

/** The answer to a GET. */
export function get<P extends Path>(path: P, ...[params, signal]: Asked<P>): Promise<Data<P>> {
  return answer(api.GET(path, { params, signal } as never)) as Promise<Data<P>>;
}

/** 16 random bytes in hex; `randomUUID` is missing on plain HTTP. */
export function idempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** fetch that refreshes the session before it ends, and once more where a request is refused with 401. */
async function fetchInSession(request: Request): Promise<Response> {
  const isAuth = request.url.includes("/api/v1/auth/");
  if (!isAuth) await refreshIfDue();
  const again = isAuth ? null : request.clone();
  let response = await send(request);
  if (response.status === 401 && again && (await isExpired(response)) && (await refreshNow()))
    response = await send(again);
  members.note(request, response);
  waiting.note(request, response);
  return response;
}

async function send(request: Request): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(request);
  } catch (thrown) {
    if (!isAbort(thrown)) connection.lost();
    throw thrown;
  }
  connection.answered();
  noteServerTime(response);
  return response;
}

async function isExpired(response: Response): Promise<boolean> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return typeof body === "object" && body !== null && "error" in body
    ? body.error === "unauthorized"
    : false;
}
