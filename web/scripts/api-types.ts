// Writes src/api/schema.d.ts from docs/openapi.json: `npm run api`. A test fails where it is stale.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";

const ROOT = join(import.meta.dirname, "..");
export const SCHEMA = join(ROOT, "src/api/schema.d.ts");

interface Operation {
  responses?: Record<string, unknown>;
}

/** The types of what the client calls: answers of success only, no prose, no partner's endpoints. */
export async function apiTypes(): Promise<string> {
  const text = readFileSync(join(ROOT, "../docs/openapi.json"), "utf8");
  const prose = new Set(["description", "summary", "title", "example", "examples"]);
  const document = JSON.parse(text, (key, value: unknown) =>
    prose.has(key) && !isSchema(value) ? undefined : value,
  ) as OpenAPI3;
  const paths = document.paths as Record<string, Record<string, Operation>>;
  for (const [path, item] of Object.entries(paths)) {
    if (path.includes("/api/v1/partner/")) Reflect.deleteProperty(paths, path);
    for (const operation of Object.values(item)) {
      for (const status of Object.keys(operation.responses ?? {})) {
        if (!status.startsWith("2") && !status.startsWith("3"))
          Reflect.deleteProperty(operation.responses ?? {}, status);
      }
    }
  }
  const types = astToString(await openapiTS(document, { excludeDeprecated: true }));
  return `// Written by \`npm run api\` from docs/openapi.json.\n${types}`;
}

/** A property may be called "title": its value is a schema then. */
function isSchema(value: unknown): boolean {
  return typeof value === "object" && value !== null && ("type" in value || "anyOf" in value);
}

if (import.meta.main) writeFileSync(SCHEMA, await apiTypes());
