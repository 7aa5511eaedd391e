// Describes an element before an action on it; `isSecret` is secret_field.js.
(element, isSecret) => {
  // The text of an element, with what the page puts into its slots.
  const textOf = (node) => node.innerText || node.textContent.trim() ||
    [...node.querySelectorAll("slot")].flatMap((slot) => slot.assignedNodes({ flatten: true }))
      .map((given) => given.textContent).join(" ");
  const named = (element.getAttribute("aria-labelledby") || "").split(/\s+/).filter(Boolean)
    .map((id) => element.getRootNode().getElementById(id)).filter(Boolean).map(textOf).join(" ");
  const label = named || (element.labels && element.labels.length ? textOf(element.labels[0]) : "");
  const ownText = element.tagName === "INPUT" || element.tagName === "SELECT" || element.tagName === "TEXTAREA"
    ? "" : textOf(element);
  const isButton = element.tagName === "INPUT" && /^(submit|button|reset|image)$/.test(element.type);
  const names = [element.getAttribute("aria-label"), ownText, isButton ? element.value : "", label,
    element.getAttribute("title"), element.getAttribute("alt"), element.getAttribute("placeholder"),
    element.getAttribute("name"), element.id, element.getAttribute("class")];
  const link = element.closest("a[href]");
  return {
    tag: element.tagName.toLowerCase(),
    kind: (element.getAttribute("role") || element.type || "").toLowerCase(),
    name: (names.find((text) => text && text.trim()) || "").replace(/\s+/g, " ").trim().slice(0, 80),
    link: link ? link.href : "",
    secret: isSecret(element),
  };
}
