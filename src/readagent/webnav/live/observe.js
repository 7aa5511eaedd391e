// Returns the page as it is now: the HTML of what is visible, with current values, and an id on every element that can
// be acted on. An element keeps its id for as long as it exists. Open shadow roots and frames of the same origin are
// included in place. `getEventListeners` belongs to the DevTools console; it exists only if this is evaluated with the
// command line API.
((MARK) => {
  const root = document.documentElement;
  const seen = new Set();
  const DROPPED = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "META", "LINK", "OBJECT", "EMBED"]);
  const VOID = new Set(["INPUT", "IMG", "BR", "HR", "AREA", "WBR", "COL", "TRACK", "SOURCE"]);
  const ACTIVE = new Set(["A", "AREA", "BUTTON", "INPUT", "SELECT", "TEXTAREA", "SUMMARY"]);
  const ROLES = new Set(
    ("button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option combobox textbox " +
     "searchbox slider spinbutton treeitem").split(" "));
  const EVENTS = ["click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart"];
  const NOISE = /^(style|on.*|src|srcset|sizes|integrity|nonce|jsaction|jscontroller|data-.*|hidden|aria-hidden)$/;
  const SECRET = /\b(cc-(?!name|type)|one-time-code|current-password|new-password)/;

  const escaped = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const hasListener = (element) => {
    const found = getEventListeners(element);
    return EVENTS.some((name) => found[name] && found[name].length);
  };
  const hasPointer = (element) => element.ownerDocument.defaultView.getComputedStyle(element).cursor === "pointer";
  const isClipped = (element) => {
    const box = element.getBoundingClientRect();
    if (box.width && box.height || !element.firstChild) return false;
    const style = element.ownerDocument.defaultView.getComputedStyle(element);
    return style.overflowX !== "visible" && style.overflowY !== "visible";
  };
  const isRendered = (element) => element.tagName === "OPTION" || element.tagName === "OPTGROUP" ||
    element.checkVisibility() || element.ownerDocument.defaultView.getComputedStyle(element).display === "contents";
  const isVisible = (element) => element.checkVisibility({ visibilityProperty: true });
  const isSecret = (element) => element.type === "password" || SECRET.test(element.getAttribute("autocomplete") || "");

  function isActive(element, parentHasPointer) {
    const tag = element.tagName;
    if (element.disabled || element.getAttribute("aria-disabled") === "true") return false;
    if (tag === "A" || tag === "AREA") { if (element.hasAttribute("href")) return true; }
    else if (tag === "INPUT") return element.type !== "hidden";
    else if (ACTIVE.has(tag)) return true;
    if (tag === "HTML" || tag === "BODY" || tag === "OPTION") return false;
    if (tag === "LABEL" && element.control) return !isVisible(element.control);
    if (ROLES.has(element.getAttribute("role")) || element.hasAttribute("onclick")) return true;
    if (element.isContentEditable && !element.parentElement.isContentEditable) return true;
    return element.tabIndex >= 0 && element.hasAttribute("tabindex") || hasListener(element) ||
      !parentHasPointer && hasPointer(element);
  }

  function idOf(element) {
    let id = element.getAttribute(MARK);
    if (!id || seen.has(id)) {
      id = String(Number(root.getAttribute(MARK + "-last") || 0) + 1);
      root.setAttribute(MARK + "-last", id);
      element.setAttribute(MARK, id);
    }
    seen.add(id);
    return id;
  }

  function isNameless(element, inner) {
    if (inner.replace(/<[^>]*>/g, "").trim() || /\b(alt|title|aria-label)="[^"]/.test(inner)) return false;
    return !["aria-label", "title", "alt", "placeholder", "value"].some((name) => element.getAttribute(name));
  }

  function attributesOf(element, id, inner) {
    const kept = new Map();
    for (const { name, value } of element.attributes) {
      if (!NOISE.test(name) && !name.startsWith(MARK) && !value.startsWith("data:")) kept.set(name, value);
    }
    const tag = element.tagName;
    for (const name of ["value", "checked", "selected"]) if (tag !== "BUTTON" && name in element) kept.delete(name);
    if (tag === "INPUT") {
      if (element.type === "checkbox" || element.type === "radio") {
        if (element.checked) kept.set("checked", "");
        if (element.getAttribute("value")) kept.set("value", element.getAttribute("value"));
      } else if (element.value && !isSecret(element)) kept.set("value", element.value);
    } else if (tag === "OPTION") {
      if (element.selected) kept.set("selected", "");
      if (element.value !== element.text) kept.set("value", element.value);
    }
    if (id) {
      if (isSecret(element) && element.value) kept.set("aria-description", "filled in, and hidden");
      if (isNameless(element, inner)) {
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
      return inside && inside.body ? serializeAll(inside.body.childNodes, false, true) : "";
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
    if (DROPPED.has(element.tagName.toUpperCase()) || !isRendered(element) || isClipped(element)) return "";
    const id = isVisible(element) && isActive(element, parentHasPointer) ? idOf(element) : "";
    const inner = contentOf(element, hasPointer(element));
    const inside = element.tagName === "IFRAME" && element.contentDocument;
    const tag = inside ? "section" : element.tagName.toLowerCase();
    const html = `<${tag}${attributesOf(element, id, inner)}>`;
    return VOID.has(element.tagName) ? html : `${html}${inner}</${tag}>`;
  }

  const body = document.body ? serialize(document.body, false) : "";
  return {
    url: location.href, title: document.title, ids: [...seen],
    html: `<!DOCTYPE html><html><head><title>${escaped(document.title)}</title></head>${body}</html>`,
  };
})
