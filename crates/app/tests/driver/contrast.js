// Every text that can be seen and has too little contrast to its ground, by the measure of WCAG 2 (at least 4.5).
(() => {
  const parse = (color) => {
    const parts = color.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
    return { rgb: parts.slice(0, 3), alpha: parts.length > 3 ? parts[3] : 1 };
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((part) => part / 255).map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const shape = at.matches("g.box, g.arrow") ? at.querySelector(".frame, .plate") : null;
      const color = parse(shape ? getComputedStyle(shape).fill : getComputedStyle(at).backgroundColor);
      if (color.alpha === 1 && (shape || !(at instanceof SVGElement))) return color.rgb;
    }
    return [255, 255, 255];
  };
  const poor = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.textContent.trim() || element.matches("script, style, noscript, title") || !element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    const color = parse(element instanceof SVGElement ? style.fill : style.color).rgb;
    const [one, other] = [light(color), light(ground(element))].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < 4.5) poor.push(`${element.tagName} “${texts.currentNode.textContent.trim().slice(0, 30)}” ${ratio.toFixed(2)}`);
  }
  return poor;
})()
