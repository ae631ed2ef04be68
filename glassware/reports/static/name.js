// Vega leaves its menu and some marks without a name, which a screen reader would stumble over.
function nameFigure(place) {
  const menu = place.querySelector("summary");
  if (menu) menu.setAttribute("aria-label", "save the figure");
  for (const mark of place.querySelectorAll('[role="graphics-symbol"]:not([aria-label])')) {
    mark.removeAttribute("role");
    mark.setAttribute("aria-hidden", "true");
  }
}
