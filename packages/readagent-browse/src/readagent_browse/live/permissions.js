// Tells the agent before a page asks for the place, notifications, the camera or the clipboard; the browser itself denies
// what was not granted. Takes WebRTC away, which could reach other machines without the proxy.
(() => {
  const ask = window.readagentPermission;
  const wrap = (owner, name, permission) => {
    const original = owner && owner[name];
    if (typeof original !== "function" || !ask) return;
    owner[name] = function (...given) {
      const call = () => original.apply(this, given);
      return ask(permission).then(call, call);
    };
  };
  const methodsOf = (thing) => thing && Object.getPrototypeOf(thing);
  wrap(methodsOf(navigator.geolocation), "getCurrentPosition", "geolocation");
  wrap(window.Notification, "requestPermission", "notifications");
  wrap(methodsOf(navigator.mediaDevices), "getUserMedia", "camera");
  wrap(methodsOf(navigator.clipboard), "readText", "clipboard-read");
  wrap(methodsOf(navigator.clipboard), "read", "clipboard-read");
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) {
    Object.defineProperty(window, name, { value: undefined, writable: false, configurable: false });
  }
})();
