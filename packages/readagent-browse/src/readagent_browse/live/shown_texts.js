// Finds what elements show: their text, value and labels, and what styles put before, after and around them. The answer to
// "read" has the texts of each element, those of the whole page, and those of styles that belong to no element. What is
// hidden already is left out. "hide" makes the elements of these numbers invisible, and those without another one of them
// inside only. "watch" reads, and keeps what the page shows from then on until it is read again. "show" undoes all that.
([MARK, what, chosen]) => {
  const store = (window[Symbol.for(MARK + "-texts")] ||= { elements: [], hidden: new Map() });
  const parentOf = (element) => element.assignedSlot || element.parentElement || element.getRootNode().host;
  const stop = () => {
    for (const observer of store.observers || []) observer.disconnect();
    cancelAnimationFrame(store.frame);
  };
  const isHidden = (element) => store.hidden.has(element) && getComputedStyle(element).opacity === "0";
  if (what === "show") {
    stop();
    for (const [element, style] of store.hidden) {
      element.removeAttribute(MARK);
      element.setAttribute("style", style || ""); // Chromium does not remove one that was set by properties only
      if (style === null) element.removeAttribute("style");
    }
    delete window[Symbol.for(MARK + "-texts")];
    return;
  }
  if (what === "hide") {
    const found = new Set(chosen.map((number) => store.elements[number]));
    const around = new Set();
    for (const element of found) for (let box = parentOf(element); box; box = parentOf(box)) around.add(box);
    for (const element of found) {
      if (around.has(element) || element.closest("clipPath")) continue; // opacity means nothing in a clipping path
      let box = element.closest("select") || element;
      while (getComputedStyle(box).display === "contents" && parentOf(box)) box = parentOf(box);
      if (!store.hidden.has(box)) store.hidden.set(box, box.getAttribute("style"));
      box.setAttribute(MARK, "");
      box.style.setProperty("transition", "none", "important");
      box.style.setProperty("opacity", "0", "important");
    }
    return;
  }

  const stringsIn = (value) => [...value.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((found) => found[1].replace(/\\(.)/g, "$1"));
  const contentOf = (element, pseudo) => {
    const style = getComputedStyle(element, pseudo);
    if (!style.content || style.content === "none" || style.content === "normal") return "";
    const quotes = (style.quotes || "").match(/"(?:[^"\\]|\\.)*"/g) || [];
    return stringsIn(style.content.replace(/attr\(([\w-]+)[^)]*\)/g, (_, name) => JSON.stringify(element.getAttribute(name) || ""))
      .replace(/\bopen-quote/g, quotes.filter((_, place) => place % 2 === 0).join(" "))
      .replace(/\bclose-quote/g, quotes.filter((_, place) => place % 2).join(" "))).join("");
  };
  // Strings that a style shows elsewhere: as the mark of a list item, or where a word is broken.
  const markersOf = (style) => [style.display.includes("list-item") ? style.listStyleType : "", style.hyphenateCharacter || ""]
    .flatMap(stringsIn);
  let elements = (store.elements = []);
  let texts = [];
  const textOf = (node) => {
    if (node.nodeType === 3) return node.data;
    if (node.nodeType !== 1 || /^(SCRIPT|STYLE|HEAD|TEMPLATE|NOSCRIPT)$/i.test(node.tagName) || isHidden(node)) return "";
    const style = getComputedStyle(node);
    if (style.display === "none" && !/^(OPTION|OPTGROUP)$/.test(node.tagName)) return "";
    const given = node.tagName === "SLOT" ? node.assignedNodes({ flatten: true }) : [];
    const nodes = node.tagName === "TEXTAREA" ? [] : given.length ? given : [...(node.shadowRoot || node).childNodes];
    const [before, after, marker] = ["::before", "::after", "::marker"].map((pseudo) => contentOf(node, pseudo));
    const own = nodes.filter((one) => one.nodeType === 3).map((one) => one.data).join("");
    const inside = nodes.map(textOf).join("");
    const labels = ["label", "placeholder", "alt"].map((name) => node.getAttribute(name) || "");
    const beside = [typeof node.value === "string" ? node.value : "", marker, ...labels, ...markersOf(style)];
    const whole = before + inside + after;
    const mine = [before + own + after, whole.length <= 1000 ? whole : "", ...beside].filter((one) => one.trim()).join("\n");
    if (mine) {
      elements.push(node);
      texts.push(mine);
    }
    const said = [whole, ...beside.filter((one) => one.trim())].join("\n");
    return /^(inline|contents|ruby)/.test(style.display) && said === whole ? said : `\n${said}\n`;
  };
  // Styles whose texts are shown at places that nothing tells: symbols of counters, and marks that are no elements.
  const looseIn = (rules) => [...rules].flatMap((rule) => {
    const isLoose = rule instanceof CSSCounterStyleRule || /::(?!before|after|marker)[\w-]+/.test(rule.selectorText || "");
    return [...isLoose ? [stringsIn(rule.cssText).join("\n")] : [], ...rule.cssRules ? looseIn(rule.cssRules) : []];
  });
  const loose = [...document.styleSheets, ...document.adoptedStyleSheets].flatMap((sheet) => {
    try { return looseIn(sheet.cssRules); } catch { return []; } // one of another origin cannot be read
  });
  const whole = document.documentElement ? textOf(document.documentElement) : "";
  const answer = { texts, whole, loose: loose.join("\n"), later: [...store.later || []] };
  if (what === "watch") {
    const later = (store.later = new Set());
    const isShown = (element) => {
      for (let box = element; box; box = parentOf(box)) if (isHidden(box)) return false;
      return true;
    };
    // The text of what has changed, with as much around it as belongs together.
    const keep = (node) => {
      let box = node.nodeType === 1 ? node : node.parentElement || node.host;
      if (!box || /^(STYLE|LINK)$/.test(box.tagName)) box = document.documentElement;
      while (parentOf(box) && parentOf(box).textContent.length <= 1000) box = parentOf(box);
      elements = [];
      texts = [];
      if (isShown(box)) later.add(textOf(box));
    };
    const changed = (change) => change.type === "childList" ? [...change.addedNodes] : [change.target];
    const values = () => { // they change without a mutation
      for (const root of roots) {
        later.add([...root.querySelectorAll("input, textarea")].filter(isShown).map((one) => one.value).join("\n"));
      }
      store.frame = requestAnimationFrame(values);
    };
    const rootsIn = (root) => [root, ...[...root.querySelectorAll("*")].flatMap((one) => one.shadowRoot ? rootsIn(one.shadowRoot) : [])];
    const roots = rootsIn(document);
    store.observers = roots.map((root) => {
      const observer = new MutationObserver((changes) => new Set(changes.flatMap(changed)).forEach(keep));
      observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
      return observer;
    });
    values();
  } else stop();
  return answer;
}
