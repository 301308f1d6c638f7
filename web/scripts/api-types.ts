// Writes the types of what the service says, from its documents: `npm run api`, which `npm run check` does, too.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";

const ROOT = join(import.meta.dirname, "..");

/** Each module of types, and its text. */
const MODULES: Record<string, () => Promise<string>> = {
  "src/api/schema.d.ts": async () =>
    written("openapi.json", withoutUncalled(read<OpenAPI3>("openapi.json"))),
  "src/api/live-schema.d.ts": async () =>
    written("asyncapi.json", asOpenApi(read<AsyncAPI>("asyncapi.json"))),
};

interface Operation {
  responses?: Record<string, unknown>;
}

type Schemas = NonNullable<NonNullable<OpenAPI3["components"]>["schemas"]>;

interface AsyncAPI {
  info: OpenAPI3["info"];
  components: { schemas: Schemas };
}

/** A document of docs/, without its prose. */
function read<T>(name: string): T {
  const text = readFileSync(join(ROOT, "../docs", name), "utf8");
  const prose = new Set(["description", "summary", "title", "example", "examples"]);
  return JSON.parse(text, (key, value: unknown) =>
    prose.has(key) && !isSchema(value) ? undefined : value,
  ) as T;
}

/** A property may be called "title": its value is a schema then. */
function isSchema(value: unknown): boolean {
  return typeof value === "object" && value !== null && ("type" in value || "anyOf" in value);
}

/** What the client calls: answers of success only, no partner's endpoints. */
function withoutUncalled(document: OpenAPI3): OpenAPI3 {
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
  return document;
}

/** The messages as schemas of a document that has no requests. */
function asOpenApi({ info, components: { schemas } }: AsyncAPI): OpenAPI3 {
  return { openapi: "3.1.0", info, paths: {}, components: { schemas } };
}

async function written(name: string, document: OpenAPI3): Promise<string> {
  const types = astToString(await openapiTS(document, { excludeDeprecated: true }));
  return `// Written by scripts/api-types.ts from docs/${name}.\n${types}`;
}

for (const [path, text] of Object.entries(MODULES)) writeFileSync(join(ROOT, path), await text());
