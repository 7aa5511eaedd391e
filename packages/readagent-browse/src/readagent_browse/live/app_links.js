// Stops a page from opening another program by an address such as `slack:`. The browser would ask the user in a dialog that
// nobody sees and that takes all clicks. The agent is told. Redirects are stopped by the request gate.
(() => {
  const tell = window.readagentPermission;
  const isOfProgram = (url) => /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^(https?|about|blob|data|javascript):/i.test(url);
  if (window.navigation) navigation.addEventListener("navigate", (event) => {
    if (!event.cancelable || !isOfProgram(event.destination.url)) return;
    event.preventDefault();
    if (tell) tell("program");
  });
  // Forms are stopped before that: the browser would wait for a form that is stopped above, and for every later click.
  const actionOf = Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, "action").get;
  const stops = (url) => {
    const stopped = isOfProgram(url);
    if (stopped && tell) tell("program");
    return stopped;
  };
  window.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (!(event.target instanceof HTMLFormElement)) return;
    if (!stops(button && button.hasAttribute("formaction") ? button.formAction : actionOf.call(event.target))) return;
    event.preventDefault();
  }, true);
  const submit = HTMLFormElement.prototype.submit;
  HTMLFormElement.prototype.submit = function () {
    if (!stops(actionOf.call(this))) submit.call(this);
  };
  // Frames get a policy. It stays in force when its element is removed, before the document has any other.
  const POLICY = "frame-src http: https: about: blob: data:";
  document.addEventListener("securitypolicyviolation", (event) => {
    if (event.originalPolicy === POLICY && tell) tell("program");
  });
  const meta = document.createElement("meta");
  meta.httpEquiv = "Content-Security-Policy";
  meta.content = POLICY;
  const html = document.createElement("html");
  if (document.head) document.head.append(meta);
  else if (!document.documentElement) {
    html.append(document.createElement("head"));
    html.firstChild.append(meta);
    document.append(html);
  }
  meta.remove();
  html.remove();
})();
