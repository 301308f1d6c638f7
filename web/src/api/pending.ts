// Endpoints of the contract that docs/openapi.json does not have yet. A path goes away from here with the commit that
// adds it there.

export type PendingPaths = Record<never, never>;
