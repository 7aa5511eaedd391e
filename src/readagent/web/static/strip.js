// All pages of a document in one line, so that those that are lit can be seen at once, however many there are.

export class Strip {
  /** `go(page)` is called for the page that somebody points at in the canvas. */
  constructor(canvas, go) {
    this.canvas = canvas;
    this.pages = [];
    this.canvas.addEventListener("click", (event) => {
      const share = event.offsetX / Math.max(1, this.canvas.clientWidth);
      const offset = share * this.total();
      const page = this.pages.find((one) => one.end > offset);
      if (page && page.number <= this.last) go(page);
    });
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.canvas);
    this.themed = matchMedia("(prefers-color-scheme: dark)");
    this.redraw = () => this.draw();
    this.themed.addEventListener("change", this.redraw);
    addEventListener("readagent-theme", this.redraw);
  }

  close() {
    this.resized.disconnect();
    this.themed.removeEventListener("change", this.redraw);
    removeEventListener("readagent-theme", this.redraw);
  }

  total() {
    return this.pages[this.pages.length - 1]?.end ?? 1;
  }

  show({ pages, last, lit, current }) {
    Object.assign(this, { pages, last, lit: new Set(lit), current });
    this.canvas.hidden = pages.length < 2;
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(this.redraw);
  }

  draw() {
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (!width || !this.pages.length) return;
    const scale = devicePixelRatio || 1;
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    const paint = this.canvas.getContext("2d");
    paint.scale(scale, scale);
    const style = getComputedStyle(this.canvas);
    const colour = (name) => style.getPropertyValue(name);
    const perPage = width / this.pages.length;
    const gap = perPage > 5 ? 2 : perPage > 3 ? 1 : 0;
    const bar = (page, fill, least = 0, inset = 0) => {
      const from = (width * page.start) / this.total();
      const to = (width * page.end) / this.total();
      const wide = Math.max(least, to - from - gap);
      paint.fillStyle = fill;
      paint.fillRect(Math.max(0, (from + to - gap - wide) / 2), inset, wide, height - 2 * inset);
    };
    for (const page of this.pages) {
      if (page.number > this.last || !page.gist) bar(page, colour("--sunk"), 0.5, 5);
      else bar(page, colour("--line"), 0.5, 3);
    }
    for (const page of this.pages) if (this.lit.has(page.number)) bar(page, colour("--glow-line"), 3, 1);
    const here = this.pages.find((page) => page.number === this.current);
    if (here) {
      const at = (width * (here.start + here.end)) / 2 / this.total();
      paint.fillStyle = colour("--accent");
      paint.fillRect(Math.max(0, at - 5), height - 2, 10, 2);
    }
  }
}
