declare module "virtual:messages/*" {
  const messages: Record<string, Record<string, (values?: object) => string>>;
  export default messages;
}

declare module "@messageformat/core/compile-module.js" {
  export { default } from "@messageformat/core/lib/compile-module";
}
