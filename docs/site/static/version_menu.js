// Fills the menu of versions from the versions.js above the folder of this one. Nothing happens where it is missing.
document.addEventListener("DOMContentLoaded", () => {
  const menu = document.getElementById("version");
  const root = new URL(document.documentElement.dataset.content_root, location.href);
  const list = document.createElement("script");
  list.src = new URL("../versions.js", root).href;
  list.onload = () => {
    menu.replaceChildren(
      ...window.READAGENT_VERSIONS.map((version) => {
        const shown = version === menu.dataset.shown;
        return new Option(version, version, shown, shown);
      }),
    );
  };
  menu.onchange = () => {
    location.href = new URL(`../${menu.value}/index.html`, root).href;
  };
  document.head.append(list);
});
