// Describes an element, for risk.py, which decides whether a person must confirm, and for the question to that person.
(element) => {
  const form = element.form || element.closest("form");
  const label = element.labels && element.labels.length ? element.labels[0].innerText : "";
  const ownText = element.tagName === "INPUT" || element.tagName === "SELECT" || element.tagName === "TEXTAREA"
    ? "" : element.innerText || element.textContent;
  const isButton = element.tagName === "INPUT" && /^(submit|button|reset|image)$/.test(element.type);
  const names = [element.getAttribute("aria-label"), ownText, isButton ? element.value : "", label,
    element.getAttribute("title"), element.getAttribute("alt"), element.getAttribute("placeholder"),
    element.getAttribute("name"), element.id, element.getAttribute("class")];
  const method = ((form && (element.getAttribute("formmethod") || form.getAttribute("method"))) || "get").toLowerCase();
  const link = element.closest("a[href]");
  const fields = form ? [...form.elements].filter((field) => !/^(hidden|submit|button|image|reset)$/.test(field.type) &&
    field.tagName !== "FIELDSET" && field.tagName !== "OUTPUT") : [];
  const secret = element.type === "password" ||
    /\b(cc-(?!name|type)|one-time-code|current-password|new-password)/.test(element.getAttribute("autocomplete") || "");
  return {
    tag: element.tagName.toLowerCase(),
    kind: (element.getAttribute("role") || element.type || "").toLowerCase(),
    name: (names.find((text) => text && text.trim()) || "").replace(/\s+/g, " ").trim().slice(0, 80),
    words: names.slice(0, 6).join(" ").replace(/\s+/g, " ").trim().slice(0, 200),
    link: link ? link.href : "",
    secret,
    submits: Boolean(form) && (element.tagName === "BUTTON" || element.tagName === "INPUT") &&
      /^(submit|image)$/.test(element.type),
    in_form: Boolean(form),
    method: form ? method : "",
    search: Boolean(form) && method === "get" && !fields.some((field) => field.type === "password") &&
      (Boolean(form.closest("[role=search], search")) || form.getAttribute("role") === "search" ||
       fields.filter((field) => /^(text|search)$/.test(field.type)).length <= 1 &&
       !fields.some((field) => /^(email|tel|textarea)$/.test(field.type))),
  };
}
