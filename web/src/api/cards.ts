// Short names for what OpenAPI calls them.
import type { components, paths } from "./schema.d.ts";

export type Card = components["schemas"]["Card"];
export type CardOutcome = components["schemas"]["CardOutcome"];
export type CardQuery = NonNullable<paths["/api/v1/cards"]["get"]["parameters"]["query"]>;
export type CardSort = NonNullable<CardQuery["sort"]>;
