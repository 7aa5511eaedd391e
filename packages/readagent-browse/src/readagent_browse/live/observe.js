// Returns the page as it is now: the HTML of what is visible, with current values, and an id on every element that can
// be acted on. An element keeps its id for as long as it exists, and one that replaces it gets the same. Open shadow roots
// and frames of the same origin are included in place; frames of other origins are comments with the number of the frame,
// which its element has as an attribute. The content of a field for secrets is an attribute of its own: it tells which
// other fields contain a part of the same secret, and is removed then. `getEventListeners` belongs to the DevTools console;
// it exists only if this is evaluated with the command line API. Ids begin with PREFIX; `isSecret` is secret_field.js.
((MARK, PREFIX, isSecret) => {
  const SECRET = MARK.replace(/id$/, "secret");
  const store = (window[Symbol.for(MARK)] ||= { last: 0, frames: 0, given: new Map() });
  const seen = new Set();
  const OURS = new RegExp(`^${PREFIX}[0-9]+$`); // a page may write ids of other frames into its elements
  const modal = [...document.querySelectorAll("dialog:modal")].pop();
  const DROPPED = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "META", "LINK", "OBJECT", "EMBED"]);
  const VOID = new Set(["INPUT", "IMG", "BR", "HR", "AREA", "WBR", "COL", "TRACK", "SOURCE"]);
  const ACTIVE = new Set(["A", "AREA", "BUTTON", "INPUT", "SELECT", "TEXTAREA", "SUMMARY"]);
  const ROLES = new Set(
    ("button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option combobox textbox " +
     "searchbox slider spinbutton treeitem").split(" "));
  const IN_CONTROL = "a[href], button, select, label, option, [role=button], [role=link], [role=option], [role=menuitem], [role=tab], [role=treeitem]";
  const EVENTS = ["click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "drop"];
  const NOISE = /^(style|on.*|src|srcset|sizes|integrity|nonce|jsaction|jscontroller|data-.*|hidden|aria-hidden)$/;

  const escaped = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const unescaped = (text) => text.replace(/&(amp|lt|gt|quot);/g, (c) => ({ "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"' })[c]);
  // Frameworks listen to every kind of event at the root of what they draw, for all that is in it.
  const listensTo = (element, ...names) => {
    const found = typeof getEventListeners === "function" ? getEventListeners(element) : {};
    return Object.keys(found).length < 30 && names.some((name) => found[name] && found[name].length);
  };
  // React listens at its root, and marks only what can be clicked once.
  const reactListensTo = (element, ...names) => {
    const props = element[Object.keys(element).find((key) => key.startsWith("__reactProps$"))];
    return Boolean(props) && names.some((name) => typeof props[name] === "function");
  };
  // Some elements show something when the mouse is over them: they listen for it, or a style does it.
  const HOVER_EVENTS = ["mouseenter", "mouseover", "pointerenter", "pointerover"];
  const HOVER_PROPS = ["onMouseEnter", "onMouseOver", "onPointerEnter", "onPointerOver"];
  const listensToHover = (element) => listensTo(element, ...HOVER_EVENTS) || reactListensTo(element, ...HOVER_PROPS);
  const rulesOf = (sheet) => { try { return [...sheet.cssRules]; } catch { return []; } }; // those of other origins are closed
  const hoverSelectors = (rules) => rules.flatMap((rule) => {
    const below = rule.cssRules && rule.cssRules.length ? hoverSelectors([...rule.cssRules]) : rule.styleSheet ? hoverSelectors(rulesOf(rule.styleSheet)) : [];
    const { display, visibility, opacity } = rule.style || {};
    const shows = display && display !== "none" || visibility === "visible" || Number(opacity) > 0;
    return shows && /:hover/.test(rule.selectorText) ? [...below, ...rule.selectorText.split(/,(?![^(]*\))/)] : below;
  });
  const isHiddenNow = (element) => !element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const hoverHosts = new Map(); // by root: the elements that show something hidden when the mouse is over them
  const hostsIn = (root) => {
    const found = new Set();
    for (const selector of hoverSelectors([...root.styleSheets, ...root.adoptedStyleSheets].flatMap(rulesOf))) {
      const [, host, rest] = /^(.*?:hover[^\s>+~]*)([\s>+~].*)$/.exec(selector.trim()) || [];
      if (!host) continue;
      const always = (text) => text.replace(/(^|[\s>+~]):hover/g, "$1*").replace(/:hover/g, "");
      try {
        for (const shown of root.querySelectorAll(always(host + rest))) {
          if (!isHiddenNow(shown)) continue;
          const over = shown.parentElement && (shown.parentElement.closest(always(host)) || shown.parentElement.querySelector(`:scope > ${always(host)}`));
          if (over) found.add(over);
        }
      } catch { continue; } // a selector that cannot be read without its :hover
    }
    return found;
  };
  // Hovering over something in such an element is enough. Long lists react to the mouse by another colour.
  const canBeHovered = (element, inner) => {
    if (/^(HTML|BODY|MAIN|FORM|TABLE|TBODY|TR|IFRAME|CANVAS)$/.test(element.tagName) || !isVisible(element)) return false;
    if (!/xhtml$/.test(element.namespaceURI)) return false; // the parts of a chart
    if (inner.includes(` ${MARK}="`) && !OURS.test(element.getAttribute(MARK))) return false;
    const text = element.textContent.trim();
    if (!text && !nameOf(element, inner) || element.innerText.length > 120) return false;
    const root = element.getRootNode();
    if (!hoverHosts.has(root)) hoverHosts.set(root, hostsIn(root));
    if (hoverHosts.get(root).has(element)) return true;
    return listensToHover(element) && [...(element.parentElement || root).children].filter((other) => kindOf(other) === kindOf(element)).length <= 12;
  };
  // A list that can be sorted listens for its items. Libraries give it a class of this name, or it takes drops, too.
  const sortable = new Map();
  const hasLikeItems = (list) => {
    const kinds = [...list.children].map((item) => `${item.tagName} ${item.classList[0] || ""}`);
    return new Set(kinds).size < kinds.length; // the parts of a code editor, which takes drops, too, are all different
  };
  const isSortable = (list) => {
    if (!sortable.has(list)) {
      sortable.set(list, list[Symbol.for(MARK + "-sortable")] || list.childElementCount > 1 && !list.querySelector("input[type=file]") && (/\bui-sortable\b/.test(list.getAttribute("class") || "") ||
        hasLikeItems(list) && listensTo(list, "dragover") && listensTo(list, "mousedown", "pointerdown", "dragstart")));
    }
    return sortable.get(list);
  };
  // One of several things of a kind that wait for the mouse button to go down, and not for a click.
  const PRESSED = ["mousedown", "pointerdown", "touchstart"];
  const isTaken = (element) => !ACTIVE.has(element.tagName) && !ROLES.has(element.getAttribute("role")) &&
    listensTo(element, ...PRESSED) && !listensTo(element, "click", "mouseup", "pointerup") &&
    [...(element.parentElement.parentElement || element.parentElement).querySelectorAll(element.tagName)].some((other) =>
      other !== element && kindOf(other) === kindOf(element) && listensTo(other, ...PRESSED));
  const DRAGGED = /(^|[\s_-])(ui-draggable|draggable|drag-?item|drag-?handle|sortable-?item|kanban-?item)(?![\w-])/i;
  const canBeDragged = (element) => {
    if (element.getAttribute("draggable") === "true" || DRAGGED.test(element.getAttribute("class") || "")) return true;
    if (/drag|sort/i.test(element.getAttribute("aria-roledescription") || "")) return true;
    const parent = element.parentElement;
    if (!parent || element.tagName === "BODY") return false;
    return isSortable(parent) || isTaken(element) || /^(grab|move)$/.test(styleOf(element).cursor) && styleOf(parent).cursor !== styleOf(element).cursor;
  };
  const hasPointer = (element) => element.ownerDocument.defaultView.getComputedStyle(element).cursor === "pointer";
  // What overflows the body is clipped by the window, and a box clips a child with a place of its own only if it has one, too.
  const isClipped = (element) => {
    if (element.tagName === "BODY") return false;
    const box = element.getBoundingClientRect();
    if (box.width && box.height || !element.firstChild) return false;
    const style = styleOf(element);
    if (style.overflowX === "visible" || style.overflowY === "visible") return false;
    const escapes = style.position === "static" ? /^(absolute|fixed)$/ : /^fixed$/;
    return ![...element.children].some((child) => escapes.test(styleOf(child).position) && child.getClientRects().length);
  };
  // Code editors draw their text themselves and take keys in a textarea that nobody sees, alone in a box without a size.
  const editorOf = (box) => box.childElementCount === 1 && box.firstElementChild.tagName === "TEXTAREA" &&
    !box.firstElementChild.readOnly && !box.innerText.trim() ? box.firstElementChild : null;
  const styleOf = (element) => element.ownerDocument.defaultView.getComputedStyle(element);
  const isContents = (element) => styleOf(element).display === "contents";
  const isRendered = (element) => element.tagName === "OPTION" || element.tagName === "OPTGROUP" ||
    element.checkVisibility() || isContents(element);
  const isVisible = (element) => element.checkVisibility({ visibilityProperty: true }) ||
    isContents(element) && styleOf(element).visibility === "visible";
  const isInert = (element) => Boolean(element.closest("[inert]")) ||
    Boolean(modal) && element.ownerDocument === document && !isInside(element, modal);
  const isInside = (element, other) => {
    for (let node = element; node; node = node.parentNode || node.host) if (node === other) return true;
    return false;
  };
  // A control that is transparent or tiny is drawn by the styling of its label.
  const isDrawn = (control) => {
    const box = control.getBoundingClientRect();
    if (control.parentElement && (isClipped(control.parentElement) || isSpeck(control.parentElement))) return false;
    return isVisible(control) && Number(styleOf(control).opacity) > 0.05 && box.width > 3 && box.height > 3;
  };
  // What is there for screen readers only is clipped by a box of a pixel.
  const isSpeck = (element) => {
    const box = element.getBoundingClientRect();
    return (box.width < 3 || box.height < 3) && styleOf(element).overflowX === "hidden" && styleOf(element).overflowY === "hidden";
  };
  const isStyled = (control) => /^(checkbox|radio|file)$/.test(control.type) && !isDrawn(control);

  // In lists and grids that one walks with the arrow keys, one item is a tab stop, and the others are of the same kind.
  const tabStops = new Map(); // by root: the kinds
  const kindOf = (element) => `${element.tagName} ${element.getAttribute("class")}`;
  const isLikeTabStop = (element) => {
    if (element.getAttribute("tabindex") !== "-1" || !element.getAttribute("class")) return false;
    const root = element.getRootNode();
    if (!tabStops.has(root)) tabStops.set(root, new Set([...root.querySelectorAll('[tabindex="0"]')].map(kindOf)));
    return tabStops.get(root).has(kindOf(element));
  };

  function isActive(element, parentHasPointer) {
    const tag = element.tagName;
    if (element.disabled || element.getAttribute("aria-disabled") === "true" || isInert(element)) return false;
    if (tag === "A" || tag === "AREA") { if (element.hasAttribute("href")) return true; }
    else if (tag === "INPUT") {
      return element.type !== "hidden" && !(isStyled(element) && [...element.labels].some(isVisible));
    }
    else if (tag === "TEXTAREA") return !(element.readOnly && element.getAttribute("aria-hidden") === "true"); // a part of an editor
    else if (ACTIVE.has(tag)) return true;
    if (tag === "BODY") return element.isContentEditable;
    if (tag === "HTML" || tag === "OPTION") return false;
    if (tag === "LABEL" && element.control) {
      return !element.control.disabled && (isStyled(element.control) || !isVisible(element.control));
    }
    if (ROLES.has(element.getAttribute("role")) || element.hasAttribute("onclick")) return true;
    if (element.getAttribute("role") === "gridcell" && element.hasAttribute("tabindex")) return true;
    if (element.isContentEditable && !element.parentElement.isContentEditable) return true;
    return element.tabIndex >= 0 && element.hasAttribute("tabindex") || listensTo(element, ...EVENTS) || reactListensTo(element, "onDoubleClick") ||
      !parentHasPointer && hasPointer(element) || canBeDragged(element) || isLikeTabStop(element) ||
      element.classList.contains("ui-droppable");
  }

  // What an element is recognised by if a framework builds it anew: its attributes, its text and that around it.
  function keyOf(element) {
    const names = ["type", "name", "id", "href", "role", "aria-label", "placeholder", "title", "for"];
    const text = (node) => node ? (node.textContent || "").replace(/\s+/g, " ").trim().slice(0, 120) : "";
    return JSON.stringify([element.tagName, names.map((name) => element.getAttribute(name)), text(element),
      text(element.parentElement)]);
  }

  function idOf(element) {
    let id = element.getAttribute(MARK);
    if (!id || seen.has(id) || !OURS.test(id)) {
      const key = keyOf(element);
      const given = store.given.get(key) || [];
      const gone = given.findIndex((one) => {
        const before = one.element.deref();
        return !seen.has(one.id) && !(before && before.isConnected);
      });
      id = gone < 0 ? PREFIX + (store.last += 1) : given.splice(gone, 1)[0].id;
      store.given.set(key, [...given, { id, element: new WeakRef(element) }]);
      element.setAttribute(MARK, id);
    }
    seen.add(id);
    return id;
  }

  // The value of a box to tick is "on" unless the page says otherwise; some frameworks write it out.
  const isDefault = (element, value) => /^(checkbox|radio)$/.test(element.type) && value === "on";

  // What a page says of a box to tick, which may be another thing than the browser knows: on the box, or on what is drawn
  // around it.
  function tickedOf(box) {
    if (box.tagName !== "INPUT" || !/^(checkbox|radio)$/.test(box.type)) return "";
    if (box.hasAttribute("aria-checked")) return box.getAttribute("aria-checked");
    const around = box.parentElement && box.parentElement.closest("[aria-checked]");
    return around && around.querySelectorAll("input").length === 1 ? around.getAttribute("aria-checked") : "";
  }

  // The name of an element, where it is not simply its text: what it points to, its label, or that of a picture in it.
  // What stands in fields is no part of a name.
  const labels = new Map(); // by root and control: the browser would look through the whole page for each element
  function labelsOf(element) {
    const root = element.getRootNode();
    if (!labels.has(root)) {
      const found = new Map();
      for (const label of root.querySelectorAll("label")) {
        if (label.control) found.set(label.control, [...found.get(label.control) || [], label]);
      }
      labels.set(root, found);
    }
    return labels.get(root).get(element) || [];
  }
  function nameOf(element, inner) {
    const pointed = (element.getAttribute("aria-labelledby") || "").split(/\s+/).filter(Boolean)
      .map((id) => element.getRootNode().getElementById?.(id)).filter(Boolean);
    const isBare = !/[\p{L}\p{N}]/u.test(unescaped(inner.slice(0, 4000).replace(/<[^>]*>/g, "")));
    const names = [pointed.map(wordsOf).join(" "), element.getAttribute("aria-label"),
      labelsOf(element).map(wordsOf).join(" "),
      isBare && [...element.querySelectorAll("img[alt]")].map((one) => one.alt).join(" "),
      isBare && [...element.querySelectorAll("svg > title")].map((one) => one.textContent).join(" "),
      isBare && !element.value && element.title];
    return (names.find((name) => name && lettersOf(name)) || "").replace(/\s+/g, " ").trim().slice(0, 200);
  }
  function wordsOf(node) {
    if (node.nodeType === 3) return node.data;
    if (node.nodeType !== 1 || /^(INPUT|TEXTAREA|SELECT|SCRIPT|STYLE)$/.test(node.tagName)) return "";
    return node.getAttribute("aria-label") || node.getAttribute("alt") || [...node.childNodes].map(wordsOf).join(" ");
  }
  const lettersOf = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

  // Whether a name can be read in the element, its attributes or its label.
  function isNameShown(element, name, inner) {
    const attributes = ["aria-label", "title", "alt", "placeholder", "value"].map((one) => element.getAttribute(one) || "");
    const shown = labelsOf(element).filter(isVisible).map((label) => label.innerText);
    const content = inner.slice(0, 4000); // tags and their attributes, too: the name may be that of a picture
    const texts = [content.replace(/<[^>]*>/g, " "), content, ...attributes, ...shown];
    const wanted = lettersOf(name);
    return texts.some((text) => lettersOf(unescaped(text)).includes(wanted));
  }

  function isNameless(element, inner) {
    if (inner.replace(/<[^>]*>/g, "").trim() || /\b(alt|title|aria-label)="[^"]/.test(inner)) return false;
    const value = element.getAttribute("value");
    return !(value && !isDefault(element, value)) &&
      !["aria-label", "title", "alt", "placeholder"].some((name) => element.getAttribute(name));
  }

  function attributesOf(element, id, inner) {
    const kept = new Map();
    for (const { name, value } of element.attributes) {
      if (!NOISE.test(name) && !name.startsWith(MARK) && !value.startsWith("data:")) kept.set(name, value);
    }
    const tag = element.tagName;
    if (tag === "DIALOG") kept.set("open", "");
    for (const name of ["value", "checked", "selected"]) if (tag !== "BUTTON" && name in element) kept.delete(name);
    if (tag === "INPUT") {
      if (element.type === "checkbox" || element.type === "radio") {
        if (element.checked) kept.set("checked", "");
        const value = element.getAttribute("value");
        if (value && !isDefault(element, value)) kept.set("value", value);
      } else if (element.value) kept.set(isSecret(element) ? SECRET : "value", element.value);
    } else if (tag === "OPTION") {
      if (element.selected) kept.set("selected", "");
      if (element.value !== element.text) kept.set("value", element.value);
    } else if (tag === "METER" || tag === "PROGRESS" && element.position >= 0) kept.set("value", `${element.value} of ${element.max}`);
    const ticked = tickedOf(element);
    if (ticked && !kept.has("checked")) kept.set("aria-checked", ticked);
    kept.delete("draggable");
    if (id) {
      if (canBeDragged(element)) kept.set("draggable", "");
      if (tag === "BODY") kept.set("contenteditable", "true"); // also where the document is in design mode
      if (tag === "LABEL" && element.control) {
        if (element.control.type === "file") kept.set("type", "file");
        else if ("checked" in element.control) kept.set("aria-checked", tickedOf(element.control) || String(element.control.checked));
      }
      if (element.type === "range") {
        kept.set("aria-description", `from ${element.min || 0} to ${element.max || 100}`);
      } else if (element.getAttribute("role") === "slider" && !kept.has("aria-description")) {
        const [low, high] = ["aria-valuemin", "aria-valuemax"].map((name) => element.getAttribute(name));
        kept.set("aria-description", `from ${low || 0} to ${high || 100}`);
      }
      if (isSecret(element) && element.value) kept.set("aria-description", "filled in, and hidden");
      if (tag === "TEXTAREA" && !isDrawn(element)) kept.set("aria-description", "the editor below");
      const name = nameOf(element, inner);
      if (name) {
        kept.set(MARK.replace(/id$/, "name"), name);
        if (!isNameShown(element, name, inner)) kept.set("aria-label", name);
      } else if (isNameless(element, inner)) {
        const hint = `${element.getAttribute("class") || ""} ${element.id || ""}`.trim();
        if (hint) kept.set("title", hint.slice(0, 60));
      }
      kept.set(MARK, id);
    }
    return [...kept].map(([name, value]) => value === "" ? ` ${name}` : ` ${name}="${escaped(value)}"`).join("");
  }

  function contentOf(element, inPointer) {
    if (element.tagName === "TEXTAREA") return isSecret(element) ? "" : escaped(element.value);
    if (element.tagName === "IFRAME") {
      const inside = element.contentDocument;
      if (inside) return !inside.body ? "" : inside.body.isContentEditable ? serialize(inside.body, false) : serializeAll(inside.body.childNodes, false, true);
      if (!element.hasAttribute(MARK + "-frame")) element.setAttribute(MARK + "-frame", PREFIX + (store.frames += 1));
      return `<!--frame ${element.getAttribute(MARK + "-frame")}-->`;
    }
    if (element.tagName === "SLOT" && element.getRootNode() instanceof ShadowRoot) {
      const given = element.assignedNodes({ flatten: true });
      if (given.length) return serializeAll(given, inPointer, true);
    }
    return serializeAll((element.shadowRoot || element).childNodes, inPointer, isVisible(element) || element.tagName === "OPTION");
  }

  function serializeAll(nodes, inPointer, visible) {
    let html = "";
    for (const node of nodes) {
      if (node.nodeType === 3) html += visible ? escaped(node.data.replace(/\s+/g, " ")) : "";
      else if (node.nodeType === 1) html += serialize(node, inPointer);
    }
    return html;
  }

  function serialize(element, parentHasPointer) {
    if (DROPPED.has(element.tagName.toUpperCase()) || !isRendered(element)) return "";
    if (element.getAttribute("aria-hidden") === "true" && isSpeck(element)) return ""; // it is there to be measured
    if (isClipped(element)) return editorOf(element) ? serialize(editorOf(element), parentHasPointer) : "";
    let id = isVisible(element) && isActive(element, parentHasPointer) ? idOf(element) : "";
    const inner = contentOf(element, hasPointer(element));
    if (!id && !element.closest(IN_CONTROL) && !isInert(element) && canBeHovered(element, inner)) id = idOf(element);
    const tag = { IFRAME: "section", BODY: element.ownerDocument === document ? "body" : "div" }[element.tagName] || element.tagName.toLowerCase();
    const html = `<${tag}${attributesOf(element, id, inner)}>`;
    return VOID.has(element.tagName) ? html : `${html}${inner}</${tag}>`;
  }

  const body = document.body ? serialize(document.body, false) : "";
  return {
    url: location.href, title: document.title, ids: [...seen],
    sorts: listensTo(document.documentElement, "mousedown") && listensTo(document.documentElement, "touchstart"),
    html: `<!DOCTYPE html><html><head><title>${escaped(document.title)}</title></head>${body}</html>`,
  };
})
