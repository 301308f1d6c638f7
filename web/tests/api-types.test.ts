import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SCHEMA, apiTypes } from "../scripts/api-types.ts";

test("the types are those of docs/openapi.json: else run `npm run api`", async () => {
  expect(readFileSync(SCHEMA, "utf8") === (await apiTypes())).toBe(true);
});
