// Returns the texts that the elements in the window show: their own, their value, and what styles put before and after
// them. With `chosen`, marks the elements of these numbers, and those without a marked element in them only. With null,
// takes the marks away.
([MARK, chosen]) => {
  const store = Symbol.for(MARK + "-texts");
  if (chosen === null) {
    for (const element of window[store] || []) element.removeAttribute(MARK);
    delete window[store];
    return [];
  }
  if (chosen) {
    const found = chosen.map((number) => window[store][number]);
    for (const element of found) {
      if (!found.some((other) => other !== element && element.contains(other))) element.setAttribute(MARK, "");
    }
    return [];
  }
  const contentOf = (element, pseudo) => {
    const content = getComputedStyle(element, pseudo).content;
    if (!content || content === "none" || content === "normal") return "";
    return content.replace(/attr\(([\w-]+)[^)]*\)/g, (_, name) => `"${element.getAttribute(name) || ""}"`)
      .replace(/"\s*"/g, "").replace(/^"|"$/g, "").replace(/\\(["\\])/g, "$1");
  };
  const elements = (window[store] = []);
  const texts = [];
  const walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) walk(element.shadowRoot);
      const box = element.getBoundingClientRect();
      if (box.bottom < 0 || box.top > innerHeight || /^(SCRIPT|STYLE|HEAD)$/.test(element.tagName)) continue;
      const whole = element.textContent;
      const own = whole.length <= 300 ? whole : [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join("");
      const styled = ["::before", "::after", "::marker"].map((pseudo) => contentOf(element, pseudo)).filter(Boolean);
      const value = typeof element.value === "string" ? element.value : "";
      const text = [own, value, ...styled].filter((one) => one.trim()).join("\n");
      if (!text) continue;
      elements.push(element);
      texts.push(text);
    }
  };
  walk(document);
  return texts;
}
