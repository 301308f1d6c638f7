// Starts Swagger UI, with a filter over all operations: its own one knows only the names of groups.

// Every word of the phrase must occur in an operation's group, method, path, name or summary.
const findOperations = () => ({
  fn: {
    opsFilter(groups, phrase) {
      const words = phrase.toLowerCase().split(/\s+/);
      const matches = (group) => (one) => {
        const operation = one.get("operation");
        const texts = [group, one.get("method"), one.get("path"), operation.get("operationId"), operation.get("summary")];
        const text = texts.join(" ").toLowerCase();
        return words.every((word) => text.includes(word));
      };
      return groups
        .map((group, name) => group.update("operations", (operations) => operations.filter(matches(name))))
        .filter((group) => group.get("operations").size > 0);
    },
  },
  wrapComponents: {
    // While a phrase is sought, groups are open: what was found can be seen.
    OperationTag: (OperationTag, { React }) => (props) => {
      const phrase = props.layoutSelectors.currentFilter();
      const isSearch = typeof phrase === "string" && phrase !== "" && phrase !== "true";
      const configs = { ...props.getConfigs(), ...(isSearch ? { docExpansion: "list" } : {}) };
      return React.createElement(OperationTag, { ...props, getConfigs: () => configs });
    },
  },
});

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [findOperations],
  validatorUrl: null,
});
