declare module "virtual:messages/*" {
  const messages: Record<string, Record<string, (values?: object) => string>>;
  export default messages;
}
