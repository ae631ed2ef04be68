// Draws every figure of the page from the JSON that stands beside it.
for (const script of document.querySelectorAll("script.vega")) {
  const place = document.getElementById(script.dataset.for);
  vegaEmbed(place, JSON.parse(script.textContent), OPTIONS).then(() => nameFigure(place)).catch((error) => {
    place.textContent = "This figure cannot be drawn: " + error.message;
  });
}
