// Describes an element before an action on it.
(element) => {
  const label = element.labels && element.labels.length ? element.labels[0].innerText : "";
  const ownText = element.tagName === "INPUT" || element.tagName === "SELECT" || element.tagName === "TEXTAREA"
    ? "" : element.innerText || element.textContent;
  const isButton = element.tagName === "INPUT" && /^(submit|button|reset|image)$/.test(element.type);
  const names = [element.getAttribute("aria-label"), ownText, isButton ? element.value : "", label,
    element.getAttribute("title"), element.getAttribute("alt"), element.getAttribute("placeholder"),
    element.getAttribute("name"), element.id, element.getAttribute("class")];
  const link = element.closest("a[href]");
  const secret = element.type === "password" ||
    /\b(cc-(?!name|type)|one-time-code|current-password|new-password)/.test(element.getAttribute("autocomplete") || "");
  return {
    tag: element.tagName.toLowerCase(),
    kind: (element.getAttribute("role") || element.type || "").toLowerCase(),
    name: (names.find((text) => text && text.trim()) || "").replace(/\s+/g, " ").trim().slice(0, 80),
    link: link ? link.href : "",
    secret,
    host: element.ownerDocument.location.host,
  };
}
