// Tells world.js which events the elements of the page listen to, as an event of this name on each. Runs in the page's own world,
// where a page may change everything: what it says decides which elements can be acted on, and nothing else.
// `getEventListeners` belongs to the DevTools console. React listens at its root, and keeps what elements do in a property; it marks
// only what can be clicked once. Frameworks that listen to every kind of event at one element do so for all that is in it.
((NAME) => {
  const REACT = { onDoubleClick: "dblclick", onMouseEnter: "mouseenter", onMouseOver: "mouseover", onPointerEnter: "pointerenter",
    onPointerOver: "pointerover" };
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      const names = Object.keys(getEventListeners(element));
      const props = element[Object.keys(element).find((key) => key.startsWith("__reactProps$"))] || {};
      const given = Object.keys(REACT).filter((name) => typeof props[name] === "function").map((name) => REACT[name]);
      const told = [...names.length < 30 ? names : [], ...given].join(" ");
      if (told) element.dispatchEvent(new CustomEvent(NAME, { detail: told, composed: true }));
      if (element.shadowRoot) look(element.shadowRoot);
    }
  };
  look(document);
})
